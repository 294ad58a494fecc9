package dev.waybill;

import dev.waybill.Finding.Severity;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import javax.sql.DataSource;

/** What tests of the doctor need. */
final class Examined {
  private Examined() {}

  static List<Finding> worseThanOk(List<Finding> findings) {
    return findings.stream().filter(finding -> finding.severity() != Severity.OK).toList();
  }

  static List<Finding> of(String code, List<Finding> findings) {
    return findings.stream().filter(finding -> finding.code().equals(code)).toList();
  }

  /** The same database as another user, who has no password. */
  static DataSource as(String user, DataSource source) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              if (method.getName().equals("getConnection")) {
                return source.getConnection(user, "");
              }
              try {
                return method.invoke(source, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
