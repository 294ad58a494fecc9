package dev.waybill;

import dev.waybill.Finding.Severity;
import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import javax.sql.DataSource;

/** What tests of the doctor need. */
final class Examined {

  /** One that a server takes where it asks for a password, and that ours does not look at. */
  static final String PASSWORD = "Pa-tient_17";

  private final List<Finding> chronic;

  private Examined(List<Finding> chronic) {
    this.chronic = chronic;
  }

  /**
   * A server of the user's own may suffer from this and that, which is not what a test is about.
   */
  static Examined on(TestDatabase given) {
    return new Examined(
        given.isOnUsersServer()
            ? worseThanOk(Doctor.examine(Migrated.on(given).dataSource()))
            : List.of());
  }

  /** Except what the server suffers from anyway. */
  List<Finding> worse(List<Finding> findings) {
    return worseThanOk(findings).stream().filter(finding -> !chronic.contains(finding)).toList();
  }

  static List<Finding> worseThanOk(List<Finding> findings) {
    return findings.stream().filter(finding -> finding.severity() != Severity.OK).toList();
  }

  static List<Finding> of(String code, List<Finding> findings) {
    return findings.stream().filter(finding -> finding.code().equals(code)).toList();
  }

  /** The same database as another user. */
  static DataSource as(String user, String password, DataSource source) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              if (method.getName().equals("getConnection")) {
                return source.getConnection(user, password);
              }
              try {
                return method.invoke(source, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
