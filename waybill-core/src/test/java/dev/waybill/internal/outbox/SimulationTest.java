package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.outbox.Logged;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a seed makes of a {@link Simulation}, the guarantees hold. {@code
 * -Dwaybill.simulation.seed=7} repeats one, {@code -Dwaybill.simulation.seeds=500} tries more.
 */
@Tag("once")
@EveryDatabase
class SimulationTest {
  private static final int STEPS = 90;
  private static final AtomicInteger simulations = new AtomicInteger();

  private final TestDatabase database;
  private final Logged log = new Logged("dev.waybill");

  SimulationTest(TestDatabase database) {
    this.database = database;
  }

  @AfterEach
  void close() {
    log.close();
  }

  static LongStream seeds() {
    Long one = Long.getLong("waybill.simulation.seed");
    return one == null
        ? LongStream.rangeClosed(1, Long.getLong("waybill.simulation.seeds", 4))
        : LongStream.of(one);
  }

  /** Seeds differ from database to database, so that more of them are tried. */
  private long mixed(long seed) {
    return Long.getLong("waybill.simulation.seed") == null
        ? seed + 1_000L * Math.floorMod(database.product().name().hashCode(), 1_000)
        : seed;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whateverHappensTheGuaranteesHold(long number) throws SQLException {
    long seed = mixed(number);
    history(seed);
  }

  @Test
  void aSeedGivesTheSameHistoryAgain() throws SQLException {
    for (long seed : new long[] {97, 98, 99}) {
      assertThat(history(mixed(seed))).as("seed %d", seed).isEqualTo(history(mixed(seed)));
    }
  }

  private List<String> history(long seed) throws SQLException {
    Schema.migrate(database.dataSource());
    SimulatedHistory.prepare(database);
    try (Simulation simulation = new Simulation(database, seed, simulations.incrementAndGet())) {
      List<String> happened = simulation.history.log();
      try {
        simulation.run(STEPS);
        simulation.finish();
        assertThat(simulation.history.check(database)).isEmpty();
      } catch (RuntimeException | SQLException | AssertionError e) {
        throw new AssertionError(
            "Seed "
                + seed
                + " (repeat it with -Dwaybill.simulation.seed="
                + seed
                + "), after\n"
                + String.join("\n", happened),
            e);
      }
      return List.copyOf(happened);
    }
  }
}
