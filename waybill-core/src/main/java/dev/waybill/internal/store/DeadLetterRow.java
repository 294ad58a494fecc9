package dev.waybill.internal.store;

import dev.waybill.outbox.DeadLetterStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter as it is stored.
 *
 * @param partitionId the partition's row
 * @param partition its number in the queue
 * @param body what the producer wrote; empty in every part if it was lost
 */
public record DeadLetterRow(
    long id,
    long partitionId,
    String queue,
    int partition,
    long seq,
    long messageId,
    MessageBody body,
    int attempts,
    DeadLetterStatus status,
    Instant failedAt,
    String lastError,
    @Nullable Instant deadline,
    @Nullable Instant completedAt) {}
