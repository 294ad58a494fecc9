package dev.waybill.internal.outbox;

import static dev.waybill.outbox.DeadLetterStatus.DISCARDED;
import static dev.waybill.outbox.DeadLetterStatus.PENDING;
import static dev.waybill.outbox.DeadLetterStatus.REPROCESSING;
import static dev.waybill.outbox.DeadLetterStatus.RESOLVED;

import dev.waybill.internal.outbox.Enqueuer.Wake;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.DeadLetterRow;
import dev.waybill.internal.store.DeadLetterStore;
import dev.waybill.internal.store.DeadLetterStore.Requeued;
import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.DeadLetterClaim;
import dev.waybill.outbox.DeadLetterException.ClaimLost;
import dev.waybill.outbox.DeadLetterException.InvalidFilter;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.outbox.DeadLetters;
import dev.waybill.outbox.OutboxException.InvalidSetting;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where operators deal with dead letters: checks what they ask for before any SQL. */
final class DeadLetterDesk implements DeadLetters {
  private static final Logger log = LoggerFactory.getLogger("dev.waybill.outbox");

  private static final Set<DeadLetterStatus> ANY = EnumSet.allOf(DeadLetterStatus.class);

  /** Of those that are being reprocessed, the ones with a passed deadline. */
  private static final Set<DeadLetterStatus> FREE = EnumSet.of(PENDING, REPROCESSING);

  private static final Set<DeadLetterStatus> COMPLETED = EnumSet.of(RESOLVED, DISCARDED);

  /** Below it no arithmetic overflows. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final Database database;
  private final DeadLetterStore store;
  private final Wake wake;
  private final Events events;

  DeadLetterDesk(Database database, DeadLetterStore store, Wake wake, Events events) {
    this.database = database;
    this.store = store;
    this.wake = wake;
    this.events = events;
  }

  @Override
  public List<DeadLetter> list(DeadLetterFilter filter) {
    Set<DeadLetterStatus> statuses = statuses(filter, EnumSet.of(PENDING), ANY);
    return meetsNone(filter) ? List.of() : deadLetters(store.list(filter, statuses));
  }

  @Override
  public long count(DeadLetterFilter filter) {
    Set<DeadLetterStatus> statuses = statuses(filter, EnumSet.of(PENDING), ANY);
    return meetsNone(filter) ? 0 : store.count(filter, statuses);
  }

  @Override
  public DeadLetterClaim claim(DeadLetterFilter filter, Duration timeout) {
    Set<DeadLetterStatus> statuses = statuses(filter, FREE, FREE);
    duration("timeout", timeout);
    if (timeout.isZero()) {
      throw new InvalidSetting("timeout", "must be longer than zero");
    }
    String token = UUID.randomUUID().toString();
    List<DeadLetter> claimed =
        meetsNone(filter) ? List.of() : deadLetters(store.claim(filter, statuses, token, timeout));
    return new DeadLetterClaim(
        token, claimed.isEmpty() ? null : claimed.get(0).deadline(), claimed);
  }

  @Override
  public int resolve(DeadLetterClaim claim) {
    return resolve(claim.token(), claim.ids());
  }

  @Override
  public int resolve(String token, Collection<Long> ids) {
    return held(token, ids, store.resolve(Objects.requireNonNull(token, "token"), ids));
  }

  @Override
  public int resolve(Connection connection, String token, Collection<Long> ids) {
    Tx tx = database.join(connection);
    return held(token, ids, store.resolve(tx, Objects.requireNonNull(token, "token"), ids));
  }

  @Override
  public int reject(DeadLetterClaim claim, String reason) {
    return reject(claim.token(), claim.ids(), reason);
  }

  @Override
  public int reject(String token, Collection<Long> ids, String reason) {
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(reason, "reason");
    return held(token, ids, store.reject(token, ids, Reason.of(reason)));
  }

  private static int held(String token, Collection<Long> ids, int changed) {
    if (changed == 0 && !ids.isEmpty()) {
      throw new ClaimLost(token, ids.size());
    }
    return changed;
  }

  @Override
  public int discard(DeadLetterFilter filter) {
    Set<DeadLetterStatus> statuses = statuses(filter, FREE, FREE);
    int discarded = meetsNone(filter) ? 0 : store.discard(filter, statuses);
    tell("{} dead letters were discarded", discarded);
    return discarded;
  }

  @Override
  public int requeue(DeadLetterFilter filter) {
    Set<DeadLetterStatus> statuses = statuses(filter, FREE, FREE);
    if (meetsNone(filter)) {
      return 0;
    }
    Map<Requeued, Integer> requeued = store.requeue(filter, statuses);
    if (requeued.isEmpty()) {
      return 0;
    }
    wake.committed(requeued.keySet().stream().map(Requeued::partitionId).toList(), false);
    requeued.entrySet().stream()
        .collect(
            Collectors.groupingBy(
                each -> each.getKey().queue(), Collectors.summingInt(Map.Entry::getValue)))
        .forEach(events::enqueued);
    int messages = requeued.values().stream().mapToInt(Integer::intValue).sum();
    tell("{} dead letters were requeued", messages);
    return messages;
  }

  @Override
  public int cleanup(DeadLetterFilter filter, Duration olderThan) {
    Set<DeadLetterStatus> statuses = statuses(filter, COMPLETED, COMPLETED);
    duration("olderThan", olderThan);
    return meetsNone(filter) ? 0 : store.cleanup(filter, statuses, olderThan);
  }

  private static void tell(String what, int deadLetters) {
    if (deadLetters > 0) {
      log.info(what, deadLetters);
    }
  }

  /** What the filter says and the operation allows. */
  private static Set<DeadLetterStatus> statuses(
      DeadLetterFilter filter, Set<DeadLetterStatus> unsaid, Set<DeadLetterStatus> allowed) {
    String queue = filter.queue();
    if (queue != null) {
      Validation.queueName(queue);
    }
    if (filter.statuses().isEmpty()) {
      return unsaid;
    }
    Set<DeadLetterStatus> said = EnumSet.copyOf(filter.statuses());
    said.retainAll(allowed);
    if (said.isEmpty()) {
      throw new InvalidFilter(
          "status", "must be one of " + allowed + " here, but is " + filter.statuses());
    }
    return said;
  }

  private static void duration(String field, Duration value) {
    if (value.isNegative() || value.compareTo(LONGEST) > 0) {
      throw new InvalidSetting(field, "must be between zero and 100 years, but is " + value);
    }
  }

  private static boolean meetsNone(DeadLetterFilter filter) {
    List<Long> ids = filter.ids();
    return ids != null && ids.isEmpty();
  }

  private static List<DeadLetter> deadLetters(List<DeadLetterRow> rows) {
    return rows.stream().map(DeadLetterDesk::deadLetter).toList();
  }

  private static DeadLetter deadLetter(DeadLetterRow row) {
    return new DeadLetter(
        row.id(),
        new DeliveredMessage(
            row.queue(), row.partition(), row.seq(), row.messageId(), row.body(), row.attempts()),
        row.status(),
        row.failedAt(),
        row.lastError(),
        row.deadline(),
        row.completedAt());
  }
}
