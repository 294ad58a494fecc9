package dev.waybill.outbox;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters that are yours to deal with until the deadline. After it others can claim them;
 * while nobody has, the claim can still be ended.
 *
 * @param token proves that they are yours; store it if another process is to end the claim
 * @param deadline by the database's clock; null if there was nothing to claim
 * @param deadLetters as they are now, claimed
 */
public record DeadLetterClaim(
    String token, @Nullable Instant deadline, List<DeadLetter> deadLetters) {

  /** Copies the list. */
  public DeadLetterClaim {
    deadLetters = List.copyOf(deadLetters);
  }

  /** The ids of the dead letters. */
  public List<Long> ids() {
    return deadLetters.stream().map(DeadLetter::id).toList();
  }

  /** Whether there was nothing to claim. */
  public boolean isEmpty() {
    return deadLetters.isEmpty();
  }
}
