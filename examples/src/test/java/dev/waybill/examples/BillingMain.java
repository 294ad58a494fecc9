package dev.waybill.examples;

import dev.waybill.testkit.ChildJvm;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.sqlite.SQLiteDataSource;

/** A process of the service that tells each bill; one that stops at a bill also begins them. */
public final class BillingMain {
  private BillingMain() {}

  public static void main(String[] args) throws Exception {
    ChildJvm.exitWithParent();
    SQLiteDataSource dataSource = new SQLiteDataSource();
    dataSource.setUrl(args[0]);
    long stuckAt = Long.parseLong(args[1]);
    CountDownLatch never = new CountDownLatch(1);
    try (OrderService service =
        new OrderService(
            dataSource,
            (order, epoch) -> Optional.empty(),
            number -> {
              System.out.println("billed " + number);
              if (number == stuckAt) {
                awaitForEver(never);
              }
            })) {
      if (stuckAt > 0) {
        service.billNow();
      }
      never.await();
    }
  }

  private static void awaitForEver(CountDownLatch never) {
    try {
      never.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
