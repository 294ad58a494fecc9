package dev.waybill.internal.store;

import dev.waybill.internal.sql.Channel;
import dev.waybill.internal.sql.Database;
import java.util.Optional;

/** Notices between processes, where the database can pass them on. */
public final class NoticeStore {
  private final Database database;
  private final String channel;

  private NoticeStore(Database database) {
    this.database = database;
    this.channel = Channel.name(database);
  }

  /** Empty if the database passes nothing on. */
  public static Optional<NoticeStore> of(Database database) {
    return switch (database.dialect()) {
      case POSTGRES -> Optional.of(new NoticeStore(database));
      case MYSQL, MARIADB, SQLITE -> Optional.empty();
    };
  }

  /** Tells all who listen, the sender included. */
  public void say(String text) {
    database.single(
        tx -> {
          tx.sql("outbox_notify").set("channel", channel).set("text", text).execute();
          return true;
        });
  }

  /** Begins to listen. Empty if the driver in use cannot. */
  public Optional<Channel> listen() {
    return Channel.listen(database);
  }
}
