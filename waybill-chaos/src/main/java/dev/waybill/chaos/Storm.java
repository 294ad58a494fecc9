package dev.waybill.chaos;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One database, some processes, and everything that can happen to them. */
final class Storm implements AutoCloseable {
  /** Who gets on at all gets on by so many. */
  private static final int SOME_MESSAGES = 50;

  /** Longer than any backoff, and than a server's start on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final Duration DRAIN = Duration.ofMinutes(5);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  private final Settings settings;
  private final Random random;
  private final Deck deck;
  private final @Nullable TestServer server;
  private final TestDatabase database;
  private final Books books;
  private final Path folder;
  private final List<Seat> seats = new ArrayList<>();
  private final Map<Harm, Integer> harms = new EnumMap<>(Harm.class);
  private final List<History.Crash> crashes = new ArrayList<>();
  private final long began = System.nanoTime();

  /**
   * Starts server and processes.
   *
   * @param folder for what the processes write down
   */
  Storm(Settings settings, Path folder) throws IOException, SQLException {
    this.settings = settings;
    this.folder = folder;
    this.random = new Random(settings.seed());
    this.deck = new Deck(Harm.of(settings.product()), random);
    boolean file = settings.product() == DatabaseProduct.SQLITE;
    this.server = file ? null : TestServer.own(settings.product());
    this.database = server == null ? TestDatabase.inFile() : server.database();
    this.books = Books.prepared(database);
  }

  /** All of it, and what came of it. */
  Report run(Progress progress) throws Exception {
    // The first one makes the queues.
    for (int i = 1; i <= settings.processes(); i++) {
      Seat seat = new Seat(i, database, folder, new Random(random.nextLong()));
      seats.add(seat);
      seat.awaitReady();
    }
    awaitSomeWork("the start");
    while (!isEnough()) {
      Harm harm = deck.draw();
      inflict(harm, seats.get(random.nextInt(seats.size())));
      harms.merge(harm, 1, Integer::sum);
      awaitSomeWork(harm.toString());
      progress.tell(elapsed(), faults(), books.committed(), books.done());
    }
    for (Seat seat : seats) {
      seat.enough();
    }
    for (Seat seat : seats) {
      seat.awaitQuiet();
    }
    await("until nothing is left to do", DRAIN, books::isDrained);
    progress.tell(elapsed(), faults(), books.committed(), books.done());
    seats.forEach(Seat::close);
    return Report.of(database.label(), settings, elapsed(), harms, books, history());
  }

  private boolean isEnough() throws SQLException {
    return elapsed().compareTo(settings.time()) >= 0
        && faults() >= settings.faults()
        && books.committed() >= settings.messages();
  }

  private int faults() {
    return harms.values().stream().mapToInt(Integer::intValue).sum();
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  private void inflict(Harm harm, Seat seat) throws Exception {
    switch (harm) {
      case KILLED -> seat.kill(Duration.ZERO);
      case KILLED_IN_HANDLER -> seat.killInHandler();
      case FROZEN -> {
        seat.pause();
        pause(WorkerMain.LEASE.duration().plusMillis(random.nextInt(1_000)));
        seat.resume();
      }
      case CLOCK_WRONG -> seat.kill(Duration.ofHours(random.nextBoolean() ? 1 : -1));
      case COMMIT_NOT_SENT -> seat.cutACommit(Moment.BEFORE);
      case COMMIT_NOT_ANSWERED -> seat.cutACommit(Moment.AFTER);
      case CUT -> seat.network().cutAll();
      case UNANSWERED -> seat.network().dropReplies();
      case PAUSED -> {
        seat.network().pause();
        pause(Duration.ofMillis(100 + random.nextInt(1_500)));
        seat.network().resume();
      }
      case UNREACHABLE -> {
        seat.network().refuse();
        seat.network().cutAll();
        pause(Duration.ofMillis(100 + random.nextInt(1_000)));
        seat.network().accept();
      }
      case SERVER_KILLED -> {
        long from = System.nanoTime();
        server().kill();
        crashes.add(new History.Crash(from, System.nanoTime()));
        server().start();
      }
      case SERVER_RESTARTED -> {
        server().stop();
        server().start();
      }
      case FILE_LOCKED -> lockFile(Duration.ofMillis(100 + random.nextInt(1_500)));
    }
  }

  private void lockFile(Duration time) throws SQLException {
    try (var stranger = database.connect();
        var statement = stranger.createStatement()) {
      statement.execute("begin immediate");
      pause(time);
      statement.execute("rollback");
    }
  }

  private TestServer server() {
    if (server == null) {
      throw new IllegalStateException("A file has no server");
    }
    return server;
  }

  /** Everybody recovers by himself. */
  private void awaitSomeWork(String after) throws SQLException {
    long before = books.done();
    await("for messages after: " + after, PATIENCE, () -> books.done() >= before + SOME_MESSAGES);
  }

  private interface Condition {
    boolean holds() throws SQLException;
  }

  private static void await(String what, Duration patience, Condition condition)
      throws SQLException {
    long end = System.nanoTime() + patience.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new StandStill("Waited " + patience.toSeconds() + " s in vain " + what);
      }
      pause(LOOK_AGAIN);
    }
  }

  private static void pause(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }

  private History history() throws IOException {
    boolean takesBack = settings.product() == DatabaseProduct.POSTGRESQL;
    History history = new History(takesBack ? crashes : List.of());
    for (Seat seat : seats) {
      for (Path diary : seat.diaries()) {
        history.read(diary);
      }
    }
    return history;
  }

  @Override
  public void close() {
    seats.forEach(Seat::close);
    if (server == null) {
      database.close();
    } else {
      server.close();
    }
  }

  /** Nobody got on any more: not lost, but not prompt. */
  static final class StandStill extends RuntimeException {
    private static final long serialVersionUID = 1;

    StandStill(String what) {
      super(what);
    }
  }
}
