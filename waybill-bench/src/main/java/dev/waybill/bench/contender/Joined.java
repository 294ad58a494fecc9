package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring's way to let a library that only knows a data source join the producer's transaction; the
 * documentation of several contenders points to it.
 */
final class Joined {
  private final DataSource dataSource;
  private final TransactionTemplate template;

  Joined(DataSource pool) {
    this.dataSource = new TransactionAwareDataSourceProxy(pool);
    this.template = new TransactionTemplate(new DataSourceTransactionManager(pool));
  }

  /** Connections that belong to the transaction of the thread, if it has one. */
  DataSource dataSource() {
    return dataSource;
  }

  void run(Business business, Runnable sending) {
    template.executeWithoutResult(
        status -> {
          doIn(business, dataSource);
          sending.run();
        });
  }

  static void doIn(Business business, DataSource dataSource) {
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      business.doIn(connection);
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }
}
