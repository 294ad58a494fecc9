package dev.waybill.internal.store;

import java.time.Duration;

/** What is wanted of one partition's lease. */
public sealed interface LeaseRequest {
  /** The partition. */
  long partitionId();

  /** How many messages are to be read at most. */
  int messages();

  /** To take it, if there are messages, and read some. */
  record Take(long partitionId, Duration duration, int messages) implements LeaseRequest {}

  /** To move the cursor, prolong the lease and read on. */
  record Next(Lease lease, long processedSeq, int messages) implements LeaseRequest {
    @Override
    public long partitionId() {
      return lease.partitionId();
    }
  }

  /** To store an outcome without dead letters and end the lease. */
  record End(Lease lease, CursorMove move) implements LeaseRequest {
    @Override
    public long partitionId() {
      return lease.partitionId();
    }

    @Override
    public int messages() {
      return 0;
    }
  }
}
