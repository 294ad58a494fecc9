package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/**
 * Quartz: one job with one trigger per message. Ten threads, triggers acquired in batches of as
 * many within the lock, clustered, as its documentation has it for a busy JDBC store. It commits by
 * itself, so a message is sent after the business transaction, not in it.
 */
final class Quartz implements Contender {
  private static final int THREADS = 10;

  private @Nullable Transactions transactions;
  private @Nullable Scheduler scheduler;

  @Override
  public void prepare(Stage on) throws Exception {
    String file = on.isPostgres() ? "tables_postgres.sql" : "tables_mysql_innodb.sql";
    try (InputStream in = Job.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/" + file)) {
      String script = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      for (String statement : script.replaceAll("(?m)^(--|#).*$", "").split(";", -1)) {
        if (!statement.isBlank() && !statement.strip().equalsIgnoreCase("commit")) {
          on.execute(statement);
        }
      }
    }
  }

  @Override
  public void open(Stage on) throws SchedulerException, IOException {
    transactions = new Transactions(on.pool());
    DBConnectionManager.getInstance().addConnectionProvider("bench", new Provider(on.pool()));
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", "bench");
    properties.setProperty("org.quartz.scheduler.instanceId", "AUTO");
    properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
    properties.setProperty(
        "org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(THREADS));
    properties.setProperty("org.quartz.threadPool.threadCount", Integer.toString(THREADS));
    properties.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
    properties.setProperty(
        "org.quartz.jobStore.driverDelegateClass",
        on.isPostgres()
            ? "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate"
            : "org.quartz.impl.jdbcjobstore.StdJDBCDelegate");
    properties.setProperty("org.quartz.jobStore.dataSource", "bench");
    properties.setProperty("org.quartz.jobStore.isClustered", "true");
    properties.setProperty("org.quartz.jobStore.acquireTriggersWithinLock", "true");
    properties.setProperty("org.quartz.jobStore.useProperties", "true");
    scheduler = new StdSchedulerFactory(properties).getScheduler();
  }

  @Override
  public void start(Receiver receiver) throws SchedulerException {
    JobReceiver.to(receiver);
    Given.here(scheduler).start();
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    if (business != Business.NONE) {
      Given.here(transactions).run(business::doIn);
    }
    for (Parcel parcel : parcels) {
      JobDetail job =
          JobBuilder.newJob(Delivery.class)
              .withIdentity(Long.toHexString(parcel.tag()))
              .usingJobData("text", parcel.text())
              .build();
      Given.here(scheduler)
          .scheduleJob(job, TriggerBuilder.newTrigger().forJob(job).startNow().build());
    }
  }

  @Override
  public void stop() throws SchedulerException {
    Given.here(scheduler).shutdown(true);
  }

  /** The job of one message. */
  public static final class Delivery implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      JobReceiver.receive(context.getMergedJobDataMap().getString("text"));
    }
  }

  private record Provider(DataSource pool) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return pool.getConnection();
    }

    @Override
    public void shutdown() {}

    @Override
    public void initialize() {}
  }
}
