package dev.waybill.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.ChildJvm;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class OrderServiceTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final SQLiteDataSource dataSource = new SQLiteDataSource();

  OrderServiceTest(@TempDir Path folder) {
    dataSource.setUrl("jdbc:sqlite:" + folder.resolve("orders.db"));
  }

  private static void awaitOrders(OrderService service, String state, long count)
      throws SQLException {
    long end = System.nanoTime() + SOON.toNanos();
    while (service.orders(state) < count) {
      assertThat(System.nanoTime()).as("waited in vain").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  @Test
  void anOrderPlacedTwiceIsShippedOnceWhenTheCarrierHasTime() throws Exception {
    Map<String, Integer> calls = new ConcurrentHashMap<>();
    Carrier busyAtFirst =
        (order, epoch) ->
            calls.merge(order, 1, Integer::sum) == 1
                ? Optional.of(Duration.ofMillis(300))
                : Optional.empty();
    try (OrderService service = new OrderService(dataSource, busyAtFirst, number -> {})) {
      service.place("4711");
      service.place("4711");
      service.place("4712");
      awaitOrders(service, "shipped", 2);
      assertThat(calls).containsOnly(Map.entry("4711", 2), Map.entry("4712", 2));
    }
  }

  @Test
  void aKilledProcessLeavesOffWhereAnotherGoesOn() throws Exception {
    try (OrderService service =
        new OrderService(dataSource, (order, epoch) -> Optional.empty(), number -> {})) {
      for (int i = 1; i <= 20; i++) {
        service.place("order-" + i);
      }
      awaitOrders(service, "shipped", 20);
    }
    try (ChildJvm first = start("first", 7)) {
      first.awaitLine("billed 7", SOON);
      first.kill();
    }
    try (ChildJvm second = start("second", 0)) {
      second.awaitLine("billed 20", SOON);
      List<String> bills =
          second.lines().stream().filter(line -> line.startsWith("billed")).toList();
      // The seventh was written, but nobody had noted it down yet.
      assertThat(bills)
          .containsExactlyElementsOf(
              LongStream.rangeClosed(7, 20).mapToObj(n -> "billed " + n).toList());
    }
  }

  @Test
  void aServiceThatIsStoppedInTheMiddleLeavesTheRestToTheNext() throws Exception {
    List<Long> billed = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch third = new CountDownLatch(1);
    try (OrderService service =
        new OrderService(
            dataSource,
            (order, epoch) -> Optional.empty(),
            number -> {
              billed.add(number);
              if (number == 3) {
                third.countDown();
                while (!Thread.interrupted()) {
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                }
              }
            })) {
      for (int i = 1; i <= 5; i++) {
        service.place("order-" + i);
      }
      awaitOrders(service, "shipped", 5);
      service.billNow();
      assertThat(third.await(60, TimeUnit.SECONDS)).isTrue();
    }
    CountDownLatch last = new CountDownLatch(1);
    try (OrderService service =
        new OrderService(
            dataSource,
            (order, epoch) -> Optional.empty(),
            number -> {
              billed.add(number);
              if (number == 5) {
                last.countDown();
              }
            })) {
      assertThat(last.await(60, TimeUnit.SECONDS)).isTrue();
      awaitOrders(service, "shipped", 5);
    }
    // The one that was interrupted may not have been noted any more, and then comes again.
    assertThat(billed.stream().distinct()).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(billed.stream().filter(number -> number != 3)).containsExactly(1L, 2L, 4L, 5L);
  }

  private ChildJvm start(String name, long stuckAt) {
    return ChildJvm.of(BillingMain.class)
        .shortLived()
        .name(name)
        .args(dataSource.getUrl(), Long.toString(stuckAt))
        .start();
  }

  @Test
  void everyNightHasItsBillsOnce() throws Exception {
    try (OrderService service =
        new OrderService(dataSource, (order, epoch) -> Optional.empty(), number -> {})) {
      Instant newYear = Instant.parse("2026-12-31T23:00:00Z");
      List<ZonedDateTime> nights =
          service.nights(newYear, 365).stream()
              .map(time -> time.atZone(OrderService.NIGHTLY.zone()))
              .toList();
      assertThat(nights)
          .extracting(ZonedDateTime::toLocalDate)
          .containsExactlyElementsOf(
              LocalDate.of(2027, 1, 1).datesUntil(LocalDate.of(2028, 1, 1)).toList());
      assertThat(nights.stream().filter(time -> !time.toLocalTime().equals(LocalTime.of(2, 30))))
          .singleElement()
          .satisfies(time -> assertThat(time.toLocalDate()).isEqualTo(LocalDate.of(2027, 3, 28)));
    }
  }
}
