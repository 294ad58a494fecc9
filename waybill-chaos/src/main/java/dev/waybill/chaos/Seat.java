package dev.waybill.chaos;

import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultProxy;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The place of one process after the other, with a network of its own. */
final class Seat implements AutoCloseable {
  private static final Duration SOON = Duration.ofSeconds(90);

  private final int number;
  private final TestDatabase database;
  private final Path folder;
  private final Random random;
  private final @Nullable FaultProxy proxy;
  private final String url;
  private final List<Path> diaries = new ArrayList<>();
  private ChildJvm process;

  Seat(int number, TestDatabase database, Path folder, Random random) throws IOException {
    this.number = number;
    this.database = database;
    this.folder = folder;
    this.random = random;
    if (database.product() == DatabaseProduct.SQLITE) {
      this.proxy = null;
      this.url = database.url();
    } else {
      URI address = URI.create(database.url().substring("jdbc:".length()));
      this.proxy = new FaultProxy(address.getHost(), address.getPort());
      this.url = database.url().replace(":" + address.getPort(), ":" + proxy.port());
    }
    this.process = start(Duration.ZERO);
  }

  private ChildJvm start(Duration skew) {
    String name = "w" + number + "." + (diaries.size() + 1);
    Path diary = folder.resolve(name + ".diary");
    diaries.add(diary);
    return ChildJvm.of(WorkerMain.class)
        .name(name)
        .shortLived()
        .jvmArgs("-Xshare:auto", "-Xmx256m")
        .property("waybill.chaos.log", folder.resolve(name + ".log").toString())
        .args(database.product().name(), url, database.user(), database.password())
        .args(name, diary.toString(), Long.toString(random.nextLong()))
        .skew(skew)
        .start();
  }

  void awaitReady() throws InterruptedException {
    process.awaitLine("ready", SOON);
  }

  /** The next process takes the place at once. */
  void kill(Duration skewOfTheNext) throws InterruptedException {
    process.close();
    process = start(skewOfTheNext);
  }

  void killInHandler() throws InterruptedException {
    awaitReady();
    process.send("hold");
    process.awaitLine("holding", SOON);
    kill(Duration.ZERO);
  }

  void pause() throws InterruptedException {
    process.pause();
  }

  void resume() throws InterruptedException {
    process.resume();
  }

  void cutACommit(Moment moment) throws InterruptedException {
    awaitReady();
    process.send(moment.name());
  }

  void enough() throws InterruptedException {
    awaitReady();
    process.send("enough");
  }

  /** After that nothing is committed any more. */
  void awaitQuiet() throws InterruptedException {
    process.awaitLine("quiet", SOON);
  }

  /** Its network; a file has none. */
  FaultProxy network() {
    if (proxy == null) {
      throw new IllegalStateException("A file has no network");
    }
    return proxy;
  }

  List<Path> diaries() {
    return diaries;
  }

  @Override
  public void close() {
    process.close();
    if (proxy != null) {
      proxy.close();
    }
  }
}
