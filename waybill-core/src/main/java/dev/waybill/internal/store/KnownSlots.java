package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The slots in use as far as this process knows (PostgreSQL): asked for once; after that every
 * statement tells the latest. Safe for use by many threads.
 */
final class KnownSlots {
  private final Database database;
  private volatile @Nullable Slots known;

  KnownSlots(Database database) {
    this.database = database;
  }

  /** In a transaction that is there anyway. */
  Slots in(Tx tx) {
    Slots slots = known;
    return slots != null ? slots : tx.sql("outbox_slots").one(this::learnt);
  }

  Slots now() {
    Slots slots = known;
    return slots != null ? slots : database.single(this::in);
  }

  /** What a row tells of them. */
  Slots learnt(Row row) throws SQLException {
    long number = row.number("slots");
    Slots slots = known;
    if (slots == null || slots.number() != number) {
      slots = Slots.of(number);
      known = slots;
    }
    return slots;
  }
}
