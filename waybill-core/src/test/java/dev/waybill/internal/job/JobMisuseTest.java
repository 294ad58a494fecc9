package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Schedule;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What users do that nobody expected: it is refused with a reason, or it harms nobody else. */
@EveryDatabase
@Timeout(180)
@SuppressWarnings("try") // That the workers run is all that is wanted of them.
class JobMisuseTest {
  private static final RetryPolicy AT_ONCE =
      RetryPolicy.standard().withBase(Duration.ofMillis(1)).withCap(Duration.ofMillis(1));

  private final JobBench bench;
  private final Signals signals = new Signals();

  JobMisuseTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a").withMaxAttempts(2).withRetryPolicy(AT_ONCE),
            JobDefinition.of("b"));
  }

  private UUID enqueue(String type, String payload) {
    return bench.jobs().enqueue(JobRequest.of(type).payload(payload).build()).id();
  }

  @Test
  void timesAtTheEndsOfTimeAreBornByRetries() throws Exception {
    Map<String, JobResult> results =
        Map.of(
            "1", JobResult.retry("x", "y").notBefore(Instant.MIN),
            "2", JobResult.retry("x", "y").notBefore(Instant.EPOCH),
            "3", JobResult.retry("x", "y").after(Duration.ZERO),
            "4", JobResult.retry("x", "y").notBefore(Instant.MAX),
            "5", JobResult.retry("x", "y").after(Duration.ofSeconds(Long.MAX_VALUE)),
            "6", JobResult.retry("x", "y").after(Duration.ofSeconds(-1)),
            "7", JobResult.continueAfter(Duration.ofSeconds(-1)));
    try (Running workers =
        bench.start(
            "a",
            context ->
                context.attempt() == 1 && results.containsKey(context.payload())
                    ? results.get(context.payload())
                    : JobResult.success())) {
      List<UUID> born = new ArrayList<>();
      List<UUID> refused = new ArrayList<>();
      for (int i = 1; i <= 7; i++) {
        (i <= 3 ? born : refused).add(enqueue("a", "" + i));
      }
      for (UUID id : born) {
        bench.await(id, JobStatus.SUCCEEDED);
        JobAttempt first = bench.jobs().attempts(Scope.admin(), id).get(0);
        assertThat(first.outcome()).isEqualTo(AttemptOutcome.RETRYABLE);
        assertThat(first.nextDueAt())
            .isBetween(bench.get(id).createdAt(), Instant.now().plusSeconds(5));
      }
      for (UUID id : refused) {
        assertThat(bench.await(id, JobStatus.DEAD_LETTERED).errorCode())
            .isEqualTo("job.invalid_result");
      }
    }
  }

  @Test
  void whatIsWrittenWithTheResultCannotEndTheTransaction() throws Exception {
    bench.home().execute("create table written (id integer not null)");
    try (Running workers =
        bench.start(
            "a",
            context ->
                JobResult.success()
                    .inTransaction(
                        connection -> {
                          try (Statement statement = connection.createStatement()) {
                            statement.execute("insert into written values (1)");
                          }
                          if (context.payload().equals("1")) {
                            connection.commit();
                          } else {
                            connection.close();
                          }
                        }))) {
      for (String payload : List.of("1", "2")) {
        JobInfo dead = bench.await(enqueue("a", payload), JobStatus.DEAD_LETTERED);
        assertThat(dead.errorCode()).isEqualTo("job.completion_refused");
        assertThat(dead.errorMessage()).contains("must not be called");
      }
    }
    assertThat(bench.count("written")).isZero();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "one writer at a time, whoever it is")
  void whatIsWrittenWithAResultMayWaitAndNobodyElseWaitsWithIt() throws Exception {
    bench.home().execute("create table busy (id integer not null primary key)");
    bench.home().execute("insert into busy values (1)");
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement();
        Running workers =
            bench.start(
                JobBench.quick("w1"),
                Map.of(
                    "a",
                    context ->
                        JobResult.success()
                            .inTransaction(
                                connection -> {
                                  signals.fire("waits");
                                  try (Statement update = connection.createStatement()) {
                                    update.execute("update busy set id = 2");
                                  }
                                }),
                    "b",
                    context -> JobResult.success()))) {
      holder.setAutoCommit(false);
      statement.execute("select id from busy for update");
      UUID waiting = enqueue("a", "1");
      signals.await("waits", JobBench.SOON);
      for (int i = 0; i < 10; i++) {
        bench.await(enqueue("b", "1"), JobStatus.SUCCEEDED);
      }
      assertThat(bench.get(waiting).status()).isEqualTo(JobStatus.LEASED);
      holder.rollback();
      bench.await(waiting, JobStatus.SUCCEEDED);
    }
  }

  @Test
  void aHandlerThatLeavesItsInterruptBehindHarmsNobody() throws Exception {
    AtomicReference<Boolean> interrupted = new AtomicReference<>();
    JobHandler handler =
        context -> {
          if (context.payload().equals("1")) {
            Thread.currentThread().interrupt();
            return JobResult.success()
                .inTransaction(
                    connection -> interrupted.set(Thread.currentThread().isInterrupted()));
          }
          return JobResult.success();
        };
    try (Running workers = bench.start("a", handler)) {
      bench.await(enqueue("a", "1"), JobStatus.SUCCEEDED);
      bench.await(enqueue("a", "2"), JobStatus.SUCCEEDED);
    }
    assertThat(interrupted).hasValue(false);
  }

  /** A lazily composed message that fails, say: the log and the record ask for it. */
  private static final class Unreadable extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new UnsupportedOperationException("no message");
    }
  }

  @Test
  void anExceptionThatCannotBeReadEndsItsAttemptAllTheSame() throws Exception {
    JobHandler handler =
        context -> {
          if (context.payload().equals("1")) {
            throw new Unreadable();
          }
          return JobResult.success()
              .inTransaction(
                  connection -> {
                    throw new Unreadable();
                  });
        };
    try (Running workers = bench.start("a", handler)) {
      JobInfo thrown = bench.await(enqueue("a", "1"), JobStatus.DEAD_LETTERED);
      assertThat(thrown.errorCode()).isEqualTo("job.handler_panic");
      assertThat(thrown.errorMessage()).contains("Unreadable");
      JobInfo refused = bench.await(enqueue("a", "2"), JobStatus.DEAD_LETTERED);
      assertThat(refused.errorCode()).isEqualTo("job.completion_refused");
      assertThat(refused.errorMessage()).contains("Unreadable");
      assertThat(bench.jobs().attempts(Scope.admin(), thrown.id()))
          .extracting(JobAttempt::outcome)
          .containsExactly(AttemptOutcome.PANICKED, AttemptOutcome.PANICKED);
    }
  }

  @Test
  void aDefinitionThatCannotBeReadHoldsUpNoAttempt() throws Exception {
    bench.home().execute("update waybill_job_definition set retry_policy = 'x' where type = 'b'");
    try (Running workers =
        bench.start(
            JobBench.quick("w1"),
            Map.of(
                "a",
                context -> JobResult.fail("no", "no"),
                "b",
                context -> JobResult.fail("no", "no")))) {
      bench.await(enqueue("a", "1"), JobStatus.DEAD_LETTERED);
      bench.await(enqueue("b", "1"), JobStatus.DEAD_LETTERED);
    }
    assertThat(bench.jobs().definitions()).hasSize(2);
  }

  @Test
  void whatNobodyCouldMeanIsRefusedBeforeTheDatabaseIsAsked() {
    assertThatThrownBy(() -> bench.jobs().purge(JobStatus.SUCCEEDED, Duration.ofDays(-1), 10))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(
            () -> bench.jobs().purge(JobStatus.SUCCEEDED, Duration.ofSeconds(Long.MAX_VALUE), 10))
        .isInstanceOf(InvalidArgument.class);
    UUID id = enqueue("a", "1");
    assertThatThrownBy(() -> bench.jobs().cancel(Scope.admin(), id, "\u00a0\u2007\u0085"))
        .isInstanceOf(InvalidArgument.class);
    for (String tenant :
        List.of(" x", "x\u00a0", "\u2003", "a\nb", "\0", "x".repeat(256), "\ud800")) {
      assertThatThrownBy(() -> Scope.tenant(tenant)).isInstanceOf(JobException.class);
    }
    for (String code : List.of("", " ", "x\0", "x ", "c".repeat(201))) {
      assertThatThrownBy(() -> AT_ONCE.withDelay(code, Duration.ofSeconds(1)))
          .isInstanceOf(JobException.class);
    }
    assertThatThrownBy(() -> Schedule.of("x", "a", "0".repeat(513)))
        .isInstanceOf(InvalidArgument.class);
  }

  @Test
  void filtersMayGoToTheEndsOfTime() {
    UUID id = enqueue("a", "1");
    assertThat(bench.jobs().list(JobFilter.of(Scope.admin()).withCreated(Instant.MIN, Instant.MAX)))
        .extracting(JobInfo::id)
        .containsExactly(id);
    assertThat(bench.jobs().list(JobFilter.of(Scope.admin()).withType("no such' type"))).isEmpty();
  }

  @Test
  void strangeTextsComeBackAsTheyWere() throws Exception {
    String strange = "\ud83d\ude80 \u202e %s :name ? {x} $1 \\\\ ' \\\" -- /*";
    String payload = "{\"" + strange + "\":\"" + strange + "\"}";
    JobRequest request =
        JobRequest.of("a")
            .payload(payload)
            .stage("\ud83d\ude80'; drop table waybill_job; --")
            .idempotencyKey("k\u00e9y\u202e'\"\\")
            .resourceKey("\u4e2d\u6587")
            .scope(Scope.tenant("ten\u00e4nt 'x'"))
            .build();
    UUID id = bench.jobs().enqueue(request).id();
    assertThat(bench.jobs().enqueue(request).id()).isEqualTo(id);
    assertThat(bench.jobs().body(Scope.admin(), id).orElseThrow().payload()).isEqualTo(payload);
    JobInfo job = bench.get(id);
    assertThat(job.stage()).isEqualTo(request.stage());
    assertThat(job.idempotencyKey()).isEqualTo(request.idempotencyKey());
    assertThat(job.resourceKey()).isEqualTo(request.resourceKey());
    assertThat(job.scope()).isEqualTo(request.scope());
    try (Running workers =
        bench.start(
            "a",
            context -> {
              context.log(dev.waybill.job.JobContext.Level.WARN, strange + "\0\ud800");
              context.checkpoint(payload);
              return JobResult.fail(strange + "\0", strange + "\ud800" + "x".repeat(5_000));
            })) {
      assertThat(bench.await(id, JobStatus.DEAD_LETTERED).errorMessage()).hasSizeLessThan(1_100);
    }
    assertThat(bench.jobs().body(Scope.admin(), id).orElseThrow().checkpoint()).isEqualTo(payload);
    assertThat(bench.jobs().logs(Scope.admin(), id, 0, 10)).hasSize(1);
  }

  @Test
  void moreThanAStatementTakesIsTakenBySeveral() throws Exception {
    List<JobRequest> requests = new ArrayList<>();
    for (int i = 0; i < 25_000; i++) {
      requests.add(
          JobRequest.of("b").priority(i % 2).payload("\"" + "x".repeat(800) + "\"").build());
    }
    requests.add(JobRequest.of("b").idempotencyKey("last").build());
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      List<Enqueued> all = bench.jobs().enqueueAll(connection, requests);
      assertThat(all).hasSize(25_001).allMatch(each -> each.outcome() == Enqueued.Outcome.INSERTED);
      connection.rollback();
    }
    assertThat(bench.count("waybill_job")).isZero();
  }

  @Test
  void aJobMayBeLarge() throws Exception {
    String payload = "\"" + "\u4e2d".repeat(1_000_000) + "\"";
    UUID id = enqueue("b", payload);
    try (Running workers = bench.start("b", context -> JobResult.success(context.payload()))) {
      bench.await(id, JobStatus.SUCCEEDED);
    }
    assertThat(bench.jobs().body(Scope.admin(), id).orElseThrow().output()).isEqualTo(payload);
  }

  /** A machine whose wall clock is years off, and that is not the database's. */
  private record WrongTime(Time real, Duration off) implements Time {
    @Override
    public Instant now() {
      return real.now().plus(off);
    }

    @Override
    public long nanos() {
      return real.nanos();
    }

    @Override
    public void await(Lock lock, Condition condition, long nanos) throws InterruptedException {
      real.await(lock, condition, nanos);
    }
  }

  @Test
  void aMachineWhoseClockIsYearsOffWorksLikeAnyOther() throws Exception {
    for (long days : List.of(-3_000L, 3_000L)) {
      Time wrong = new WrongTime(Time.system(), Duration.ofDays(days));
      Crew crew = JobBench.crew(bench.database());
      JobEngine engine =
          new JobEngine(
              bench.database(),
              wrong,
              crew,
              JobBench.quick("off" + days).withLease(Duration.ofSeconds(5)),
              Map.of(
                  "a",
                  context ->
                      context.attempt() == 1 ? JobResult.retry("x", "y") : JobResult.success()),
              StepEnds.NONE,
              Notices.none(),
              true);
      crew.start();
      try {
        engine.jobs().schedules().put(Schedule.of("s" + days, "a", "* * * * * *"));
        UUID id =
            engine.jobs().enqueue(JobRequest.of("a").delay(Duration.ofMillis(100)).build()).id();
        JobInfo done = bench.await(id, JobStatus.SUCCEEDED);
        assertThat(done.attempt()).isEqualTo(2);
        assertThat(Duration.between(done.createdAt(), Instant.now()).abs())
            .isLessThan(Duration.ofMinutes(5));
        bench.awaitNone("(select 1 as one where not exists (select 1 from waybill_job_fire)) n");
      } finally {
        engine.askToStop();
        crew.stop(Duration.ofSeconds(10));
        engine.handBack();
      }
    }
  }

  @Test
  void aDoorThatIsLeftOpenStillTakesRequestsAfterTheWorkersAreGone() throws Exception {
    Running workers = bench.start("a", context -> JobResult.success());
    workers.close();
    Enqueued late = workers.jobs().enqueue(JobRequest.of("a").build());
    assertThat(bench.get(late.id()).status()).isEqualTo(JobStatus.PENDING);
    assertThatCode(workers::close).doesNotThrowAnyException();
  }

  @Test
  void aCallerWhoSaysNothingIsToldWhat() {
    assertThatThrownBy(() -> JobRequest.of("a").payload(nothing()).build())
        .isInstanceOf(NullPointerException.class)
        .hasMessage("payload");
    assertThatThrownBy(() -> JobRequest.of("a").stage(nothing()).build())
        .isInstanceOf(NullPointerException.class)
        .hasMessage("stage");
    assertThatThrownBy(() -> Schedule.of("s", "a", "@daily").withPayload(nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("payload");
  }

  @SuppressWarnings({
    "NullAway",
    "TypeParameterUnusedInFormals"
  }) // What NullAway would not let pass.
  private static <T> T nothing() {
    return null;
  }
}
