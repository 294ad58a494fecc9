package dev.waybill.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.workflow.WorkflowStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class FulfilmentTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final List<String> ITEMS = List.of("pen", "ink", "paper");

  private final SQLiteDataSource dataSource = new SQLiteDataSource();
  private final List<String> deeds = new CopyOnWriteArrayList<>();

  FulfilmentTest(@TempDir Path folder) {
    dataSource.setUrl("jdbc:sqlite:" + folder.resolve("orders.db"));
  }

  private static void approve(Fulfilment fulfilment, UUID run) {
    long end = System.nanoTime() + SOON.toNanos();
    while (!fulfilment.approve(run)) {
      assertThat(System.nanoTime()).as("waited in vain").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  @Test
  void anOrderIsPickedByManyHandsAndShippedOnceItIsApproved() throws Exception {
    try (Fulfilment fulfilment = new Fulfilment(dataSource, deeds::add)) {
      UUID run = fulfilment.begin("4711", ITEMS);
      assertThat(fulfilment.begin("4711", ITEMS)).isEqualTo(run);
      approve(fulfilment, run);
      assertThat(fulfilment.settle(run, SOON)).isEmpty();
      assertThat(fulfilment.status(run)).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(deeds).first().isEqualTo("pay 4711");
      assertThat(deeds.subList(1, 4))
          .containsExactlyInAnyOrder("pick pen", "pick ink", "pick paper");
      assertThat(deeds).last().isEqualTo("ship 4711");
      assertThat(deeds).hasSize(5);
      isTheOneInTheDocs("fulfilment.svg", fulfilment.picture(run));
    }
  }

  @Test
  void whatCannotBeShippedIsUndoneLastThingsFirst() throws Exception {
    Hands noShip = deed -> !deed.startsWith("ship") && deeds.add(deed);
    try (Fulfilment fulfilment = new Fulfilment(dataSource, noShip)) {
      UUID run = fulfilment.begin("4711", ITEMS);
      approve(fulfilment, run);
      UUID undoing = fulfilment.settle(run, SOON).orElseThrow();
      assertThat(fulfilment.status(run)).isEqualTo(WorkflowStatus.FAILED);
      assertThat(fulfilment.status(undoing)).isEqualTo(WorkflowStatus.SUCCEEDED);
      assertThat(deeds.subList(4, 7))
          .containsExactlyInAnyOrder("put back pick[0]", "put back pick[1]", "put back pick[2]");
      assertThat(deeds).last().isEqualTo("refund 4711");
      assertThat(deeds).hasSize(8);
      isTheOneInTheDocs("fulfilment-failed.svg", fulfilment.picture(run));
    }
  }

  /** With {@code -Dwaybill.pictures=write} it becomes it. */
  private static void isTheOneInTheDocs(String name, String picture) throws IOException {
    Path file = Path.of(System.getProperty("waybill.root", "..")).resolve("docs/img").resolve(name);
    if ("write".equals(System.getProperty("waybill.pictures"))) {
      Files.writeString(file, picture);
    }
    assertThat(Files.readString(file)).isEqualTo(picture);
  }
}
