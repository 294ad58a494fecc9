package dev.waybill.bench.contender;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler: one one-time task per message. Twenty threads, polling every 100 ms and at once
 * after a commit; lock-and-fetch with the limits (1.0, 4.0) that its manual gives for high
 * throughput, fetch with its default limits; the table and indexes of its manual; texts as plain
 * bytes, which is cheaper than its default serialization.
 */
final class DbScheduler implements Contender {
  private static final int THREADS = 20;
  private static final TaskDescriptor<String> PARCEL = TaskDescriptor.of("parcel", String.class);

  private final boolean lockAndFetch;
  private @Nullable Joined joined;
  private @Nullable Stage stage;
  private @Nullable Scheduler scheduler;
  private @Nullable SchedulerClient client;

  DbScheduler(boolean lockAndFetch) {
    this.lockAndFetch = lockAndFetch;
  }

  @Override
  public void prepare(Stage on) throws SQLException {
    String name = on.isPostgres() || on.isSqlite() ? "text" : "varchar(100)";
    String bytes = on.isPostgres() ? "bytea" : "blob";
    String time =
        switch (on.product()) {
          case POSTGRESQL -> "timestamp with time zone";
          case MARIADB, MYSQL -> "timestamp(6)";
          // Not text: its driver stores times as numbers.
          case SQLITE -> "timestamp";
        };
    on.execute(
        """
        create table scheduled_tasks (
          task_name %1$s not null,
          task_instance %1$s not null,
          task_data %2$s,
          execution_time %3$s not null,
          picked boolean not null,
          picked_by %1$s,
          last_success %3$s null,
          last_failure %3$s null,
          consecutive_failures int,
          last_heartbeat %3$s null,
          version bigint not null,
          priority smallint,
          primary key (task_name, task_instance))
        """
            .formatted(name, bytes, time),
        "create index execution_time_idx on scheduled_tasks (execution_time)",
        "create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");
  }

  @Override
  public void open(Stage on) {
    stage = on;
    joined = new Joined(on.pool());
    client =
        SchedulerClient.Builder.create(Given.here(joined).dataSource())
            .serializer(new PlainText())
            .build();
  }

  @Override
  public void start(Receiver receiver) {
    SchedulerBuilder builder =
        Scheduler.create(
                Given.here(stage).pool(),
                Tasks.oneTime(PARCEL)
                    .execute((instance, context) -> receiver.receive(instance.getData())))
            .threads(THREADS)
            .pollingInterval(Duration.ofMillis(100))
            .enableImmediateExecution()
            .shutdownMaxWait(Duration.ofSeconds(10))
            .serializer(new PlainText());
    scheduler = (lockAndFetch ? builder.pollUsingLockAndFetch(1.0, 4.0) : builder).build();
    scheduler.start();
  }

  @Override
  public void send(Business business, List<Parcel> parcels) {
    Given.here(joined).run(business, () -> schedule(Given.here(client), parcels));
    Scheduler here = scheduler;
    if (here != null) {
      // Its own hint comes before the commit and would find nothing.
      here.triggerCheckForDueExecutions();
    }
  }

  private static void schedule(SchedulerClient client, List<Parcel> parcels) {
    Stream<TaskInstance<?>> instances = parcels.stream().map(DbScheduler::instance);
    client.scheduleBatch(instances, Instant.now());
  }

  private static TaskInstance<?> instance(Parcel parcel) {
    return PARCEL.instance(Long.toHexString(parcel.tag())).data(parcel.text()).build();
  }

  @Override
  public void stop() {
    Given.here(scheduler).stop();
  }

  private static final class PlainText implements Serializer {
    @Override
    public byte[] serialize(@Nullable Object data) {
      return String.valueOf(data).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <T> T deserialize(Class<T> type, byte[] bytes) {
      return type.cast(new String(bytes, StandardCharsets.UTF_8));
    }
  }
}
