package dev.waybill.outbox;

import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One process at a time, which also produces; it is killed again and again. */
@Tag("long")
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MARIADB, DatabaseProduct.MYSQL},
    why = "ChaosTest does worse to several processes at a time")
class RestartTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void aKilledProcessIsFollowedByAnother(TestDatabase database) throws Exception {
    ChaosHistory.prepared(database);
    List<ChildJvm> children = new ArrayList<>();
    try {
      for (int i = 1; i <= 4; i++) {
        ChildJvm child =
            ChaosWorker.child(database.url(), database.user(), database.password(), "p" + i)
                .name("worker " + i)
                .start();
        children.add(child);
        child.awaitLine("ready", SOON);
        ChaosHistory.work(database);
        if (i == 2) {
          child.send("hold");
          child.awaitLine("holding", SOON);
        }
        if (i < 4) {
          child.kill();
        } else {
          child.send("enough");
          ChaosHistory.drain(database);
        }
      }
      ChaosHistory.check(database, children);
    } finally {
      children.forEach(ChildJvm::close);
    }
  }
}
