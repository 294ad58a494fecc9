package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.outbox.HeadFailure.ParkKey;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A key that fails is parked with all that follows it; the others of its partition go on. Nobody
 * looks for forgotten work here, so whatever is tried again is found by its timer. Messages are
 * called after their key: a1, a2, b1.
 */
@EveryDatabase
class ParkKeyTest {
  enum Kind {
    LEASED,
    TRANSACTIONAL
  }

  private static final OutboxProfile QUICK =
      Service.NEVER_LOOKS.withRetry(
          new RetryTuning(Duration.ofMillis(20), Duration.ofMillis(40), 2));

  private final Service service;
  private final String queue;
  private final Received done = new Received();
  private final Received tried = new Received();
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private volatile Predicate<String> unlucky = text -> false;
  private final Logged log = new Logged("dev.waybill");

  ParkKeyTest(TestDatabase database, TestInfo test) {
    this.service = new Service(database);
    this.queue = test.getTestMethod().orElseThrow().getName();
  }

  @BeforeEach
  void effects() throws SQLException {
    service.update("drop table if exists effects");
    service.update("create table effects (queue varchar(200) not null, note varchar(50) not null)");
  }

  @AfterEach
  void stop() {
    service.close();
    log.close();
  }

  private boolean fails(OutboxMessage message) {
    tried.add(message);
    if (unlucky.test(message.text())
        || failing.contains(message.text())
        || failing.contains(key(message.text()))) {
      return true;
    }
    done.add(message);
    return false;
  }

  private static String key(String text) {
    return text.substring(0, 1);
  }

  private OutboxBuilder handled(QueueBuilder builder, Kind kind) {
    return switch (kind) {
      case LEASED ->
          builder.leased(
              message -> fails(message) ? MessageResult.retry("busy") : MessageResult.ok());
      case TRANSACTIONAL ->
          builder.transactional(
              (tx, message) -> {
                try (var insert =
                    tx.connection().prepareStatement("insert into effects values (?, ?)")) {
                  insert.setString(1, message.queue());
                  insert.setString(2, message.text());
                  insert.executeUpdate();
                }
                return fails(message) ? HandlerResult.retry("busy") : HandlerResult.success();
              });
    };
  }

  private Consumer<OutboxBuilder> setup(Kind kind, HeadFailure onFailure) {
    return o ->
        handled(o.profile(QUICK).queue(name(kind), Partitions.of(1)).onFailure(onFailure), kind);
  }

  private Outbox start(Kind kind, HeadFailure onFailure) {
    return service.start(setup(kind, onFailure));
  }

  private String name(Kind kind) {
    return queue + "." + kind;
  }

  /** One transaction each. A text that begins with a dash has no key. */
  private void send(Outbox outbox, Kind kind, String... texts) throws Exception {
    for (String text : texts) {
      EnqueueMessage message = EnqueueMessage.of("test", text).header("note", text);
      outbox.inTransaction(
          connection ->
              outbox.enqueue(
                  connection, name(kind), text.startsWith("-") ? message : message.key(key(text))));
    }
  }

  private PartitionStatus status(Outbox outbox, Kind kind) {
    return outbox.status().stream()
        .filter(each -> each.name().equals(name(kind)))
        .findFirst()
        .orElseThrow()
        .partitions()
        .get(0);
  }

  private List<String> texts() {
    return done.soFar().stream().map(OutboxMessage::text).toList();
  }

  private List<String> texts(String key) {
    return texts().stream().filter(each -> key(each).equals(key)).toList();
  }

  /** All is delivered once, and nothing is left. */
  private void finished(Outbox outbox, Kind kind, int messages) throws Exception {
    done.await(messages);
    Service.await(
        () ->
            status(outbox, kind).parked() == 0
                && status(outbox, kind).lag() == 0
                && status(outbox, kind).leaseOwner() == null);
    assertThat(done.soFar()).hasSize(messages);
    assertThat(
            service.number(
                "select count(*) from waybill_outbox_parked k" + Service.of(name(kind), "k")))
        .isZero();
    if (kind == Kind.TRANSACTIONAL) {
      assertThat(service.number("select count(*) from effects where queue = '" + name(kind) + "'"))
          .isEqualTo(messages);
    }
  }

  @ParameterizedTest
  @EnumSource
  void othersGoOnAndFollowersComeInOrderBeforeNewerOnes(Kind kind) throws Exception {
    failing.add("a");
    Outbox outbox = start(kind, HeadFailure.parkKey());
    send(outbox, kind, "a1", "b1", "a2", "c1", "a3");
    assertThat(done.await(2)).containsExactly("b1", "c1");
    Service.await(() -> status(outbox, kind).parked() == 3);
    send(outbox, kind, "b2", "a4");
    assertThat(done.await(3)).containsExactly("b1", "c1", "b2");
    Service.await(() -> status(outbox, kind).parked() == 4);
    assertThat(status(outbox, kind).processed()).isEqualTo(7);
    // The counter follows the commit that was seen.
    Service.await(() -> outbox.statistics().parked() == 4);
    // The one that failed is tried again by itself, and only that one.
    tried.await(all -> all.stream().filter(each -> each.text().equals("a1")).count() >= 4);
    assertThat(tried.soFar()).extracting(OutboxMessage::text).doesNotContain("a2", "a3", "a4");

    failing.clear();
    send(outbox, kind, "a5", "d1");
    finished(outbox, kind, 9);
    assertThat(texts("a")).containsExactly("a1", "a2", "a3", "a4", "a5");
    assertThat(done.soFar().stream().filter(each -> key(each.text()).equals("a")))
        .extracting(OutboxMessage::seq)
        .containsExactly(1L, 3L, 5L, 7L, 8L);
    OutboxMessage first = done.soFar().get(texts().indexOf("a1"));
    assertThat(first.attempts()).isGreaterThanOrEqualTo(3);
    assertThat(first.key()).isEqualTo("a");
    assertThat(first.headers()).containsEntry("note", "a1");
    assertThat(done.soFar().get(texts().indexOf("a2")).attempts()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void severalKeysAreParkedAndEachComesBackByItself(Kind kind) throws Exception {
    failing.addAll(Set.of("a", "b", "c2"));
    Outbox outbox = start(kind, HeadFailure.parkKey());
    send(outbox, kind, "a1", "b1", "c1", "a2", "c2", "b2", "c3", "d1");
    assertThat(done.await(2)).containsExactly("c1", "d1");
    Service.await(() -> status(outbox, kind).parked() == 6);
    failing.remove("b");
    assertThat(done.await(4)).containsExactly("c1", "d1", "b1", "b2");
    failing.remove("c2");
    assertThat(done.await(6)).endsWith("c2", "c3");
    failing.clear();
    finished(outbox, kind, 8);
    assertThat(texts()).endsWith("a1", "a2");
  }

  @ParameterizedTest
  @EnumSource
  void whatIsGivenUpMakesWayForItsFollowers(Kind kind) throws Exception {
    failing.addAll(Set.of("a1", "a3"));
    Outbox outbox = start(kind, HeadFailure.parkKey().withDeadLetterAfter(3));
    send(outbox, kind, "a1", "a2", "a3", "a4", "b1");
    done.await(3);
    Service.await(() -> service.deadLetters(name(kind)) == 2);
    finished(outbox, kind, 3);
    assertThat(texts("a")).containsExactly("a2", "a4");
    assertThat(tried.soFar()).extracting(OutboxMessage::text).filteredOn("a1"::equals).hasSize(3);
    assertThat(
            service.number(
                "select min(d.attempts) from waybill_outbox_dead_letters d"
                    + Service.of(name(kind), "d")))
        .isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void aMessageWithoutAKeyBlocksWhileParkedKeysGoOn(Kind kind) throws Exception {
    failing.addAll(Set.of("a", "-"));
    Outbox outbox = start(kind, HeadFailure.parkKey());
    send(outbox, kind, "a1", "-1", "a2", "b1");
    tried.await(all -> all.stream().filter(each -> each.text().equals("-1")).count() >= 3);
    assertThat(status(outbox, kind).parked()).isEqualTo(1);
    assertThat(status(outbox, kind).processed()).isEqualTo(1);
    assertThat(texts()).isEmpty();
    failing.remove("a");
    assertThat(done.await(1)).containsExactly("a1");
    failing.clear();
    finished(outbox, kind, 4);
    assertThat(texts()).containsExactly("a1", "-1", "a2", "b1");
  }

  @ParameterizedTest
  @EnumSource
  void whenTheLimitIsReachedThePartitionWaitsAndSaysSo(Kind kind) throws Exception {
    failing.add("a");
    ParkKey two = HeadFailure.parkKey().withLimit(2);
    Outbox outbox = start(kind, two);
    send(outbox, kind, "a1", "b1", "a2", "c1", "a3", "d1");
    assertThat(done.await(2)).containsExactly("b1", "c1");
    Service.await(() -> status(outbox, kind).lastError() != null);
    PartitionStatus full = status(outbox, kind);
    assertThat(full.parked()).isEqualTo(2);
    assertThat(full.processed()).isEqualTo(4);
    assertThat(full.lastError()).contains("limit of 2 parked messages");
    tried.await(all -> all.stream().filter(each -> each.text().equals("a1")).count() >= 4);
    assertThat(tried.soFar()).extracting(OutboxMessage::text).doesNotContain("d1", "a3");
    failing.clear();
    finished(outbox, kind, 6);
    assertThat(texts("a")).containsExactly("a1", "a2", "a3");
    assertThat(status(outbox, kind).lastError()).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void aKeyThatFailsWithoutRoomBlocksUntilThereIsSome(Kind kind) throws Exception {
    failing.addAll(Set.of("a", "b"));
    Outbox outbox = start(kind, HeadFailure.parkKey().withLimit(1));
    send(outbox, kind, "a1", "b1", "c1");
    Service.await(() -> status(outbox, kind).attempts() >= 2);
    assertThat(status(outbox, kind).lastError()).contains("busy").contains("limit of 1 parked");
    assertThat(status(outbox, kind).parked()).isEqualTo(1);
    assertThat(texts()).isEmpty();
    failing.remove("a");
    assertThat(done.await(2)).containsExactly("a1", "c1");
    failing.clear();
    finished(outbox, kind, 3);
  }

  @ParameterizedTest
  @EnumSource
  void aRestartWithAnotherPolicyLosesNothingAndKeepsTheOrder(Kind kind) throws Exception {
    failing.add("a");
    Outbox before = start(kind, HeadFailure.parkKey());
    send(before, kind, "a1", "a2", "b1");
    done.await(1);
    Service.await(() -> status(before, kind).parked() == 2);
    service.close();
    // This one parks nothing any more, but respects what is.
    Outbox after = start(kind, HeadFailure.block());
    send(after, kind, "b2", "a3", "b3");
    assertThat(done.await(2)).containsExactly("b1", "b2");
    Service.await(() -> status(after, kind).lastError() != null);
    assertThat(status(after, kind).processed()).isEqualTo(4);
    assertThat(status(after, kind).parked()).isEqualTo(2);
    failing.clear();
    finished(after, kind, 6);
    assertThat(texts("a")).containsExactly("a1", "a2", "a3");
    assertThat(texts("b")).containsExactly("b1", "b2", "b3");
  }

  @ParameterizedTest
  @EnumSource
  void aLongWaitOfAKeyDelaysNobodyElse(Kind kind) throws Exception {
    failing.add("a");
    Outbox outbox =
        service.start(
            o ->
                handled(
                    o.profile(
                            Service.NEVER_LOOKS.withRetry(
                                new RetryTuning(Duration.ofHours(1), Duration.ofHours(1), 2)))
                        .queue(name(kind), Partitions.of(1))
                        .onFailure(HeadFailure.parkKey()),
                    kind));
    send(outbox, kind, "a1");
    Service.await(() -> status(outbox, kind).parked() == 1);
    for (int i = 1; i <= 3; i++) {
      send(outbox, kind, "b" + i, "a" + (i + 1));
      done.await(i);
    }
    Service.await(() -> status(outbox, kind).parked() == 4);
    assertThat(texts()).containsExactly("b1", "b2", "b3");
    assertThat(tried.soFar()).extracting(OutboxMessage::text).filteredOn("a1"::equals).hasSize(1);
    // While it waits nobody asks for it.
    Service.await(() -> service.isQuiet(Duration.ofMillis(300)));
  }

  @ParameterizedTest
  @EnumSource
  @NotOn(value = DatabaseProduct.SQLITE, why = "it is for one process")
  void anotherProcessTakesTheParkedOnesOverFromOneThatIsGone(Kind kind) throws Exception {
    failing.add("a");
    Waybill gone = service.waybill(Duration.ofSeconds(5), setup(kind, HeadFailure.parkKey()));
    send(gone.outbox(), kind, "a1", "a2", "b1");
    Service.await(() -> status(gone.outbox(), kind).parked() == 2);
    Outbox heir =
        service.start(
            o ->
                handled(
                    o.profile(QUICK.withReconcileInterval(Duration.ofMillis(300)))
                        .queue(name(kind), Partitions.of(1))
                        .onFailure(HeadFailure.parkKey()),
                    kind));
    gone.close();
    int before = tried.soFar().size();
    tried.await(all -> all.size() > before + 2);
    failing.clear();
    send(heir, kind, "a3");
    finished(heir, kind, 4);
    assertThat(texts("a")).containsExactly("a1", "a2", "a3");
  }

  @ParameterizedTest
  @EnumSource
  @NotOn(value = DatabaseProduct.SQLITE, why = "it is for one process")
  void twoProcessesKeepTheOrderOfEveryKey(Kind kind) throws Exception {
    Map<String, Integer> tries = new ConcurrentHashMap<>();
    Consumer<OutboxBuilder> setup =
        o ->
            handled(
                o.profile(QUICK.withReconcileInterval(Duration.ofMillis(100)))
                    .queue(name(kind), Partitions.of(1))
                    .onFailure(HeadFailure.parkKey().withLimit(10)),
                kind);
    // Every third message fails twice.
    unlucky = text -> text.charAt(1) % 3 == 0 && tries.merge(text, 1, Integer::sum) <= 2;
    Outbox one = service.start(setup);
    Outbox two = service.start(setup);
    List<String> keys = List.of("a", "b", "c", "d", "e");
    for (int i = 1; i <= 8; i++) {
      for (String key : keys) {
        send(i % 2 == 0 ? one : two, kind, key + i);
      }
    }
    finished(one, kind, 40);
    for (String key : keys) {
      assertThat(texts(key))
          .containsExactly(key + 1, key + 2, key + 3, key + 4, key + 5, key + 6, key + 7, key + 8);
    }
    Service.await(() -> one.statistics().parked() + two.statistics().parked() > 0);
  }

  @ParameterizedTest
  @EnumSource
  void pausedMeansTheParkedOnesToo(Kind kind) throws Exception {
    failing.add("a");
    Outbox outbox = start(kind, HeadFailure.parkKey());
    send(outbox, kind, "a1", "a2");
    Service.await(() -> status(outbox, kind).parked() == 2);
    outbox.pause(name(kind));
    Service.await(
        () -> {
          int before = tried.soFar().size();
          return service.isQuiet(Duration.ofMillis(100)) && tried.soFar().size() == before;
        });
    failing.clear();
    assertThat(texts()).isEmpty();
    outbox.resume(name(kind));
    finished(outbox, kind, 2);
    assertThat(texts()).containsExactly("a1", "a2");
  }

  @ParameterizedTest
  @EnumSource
  void aQueueThatParksNothingMakesNoStatementForIt(Kind kind) throws Exception {
    failing.add("a1");
    Outbox outbox = start(kind, HeadFailure.deadLetterAfter(3));
    service.faulty().reset();
    send(outbox, kind, "a1", "a2", "b1");
    done.await(2);
    finished(outbox, kind, 2);
    assertThat(service.faulty().trace()).noneMatch(made -> made.sql().contains("outbox_parked"));
    assertThat(texts()).containsExactly("a2", "b1");
  }
}
