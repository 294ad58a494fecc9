package dev.waybill.bench.contender;

import dev.waybill.testkit.DatabaseProduct;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A contender in the list of all.
 *
 * @param name as on the command line
 * @param what it is, for people
 * @param kind what it counts as in comparisons
 * @param promise about order
 * @param joins whether a message is part of the producer's transaction
 * @param databases it runs on
 * @param rate messages a second that it was seen to drain on two cores: only to give each a backlog
 *     that takes it about as long as the others
 * @param maker of a new one
 * @param flows of a new one that runs graphs of steps in place of messages; null for others
 */
public record Entry(
    String name,
    String what,
    Kind kind,
    Promise promise,
    boolean joins,
    Set<DatabaseProduct> databases,
    int rate,
    Supplier<Contender> maker,
    @Nullable Supplier<FlowContender> flows) {

  /** One who carries messages. */
  Entry(
      String name,
      String what,
      Kind kind,
      Promise promise,
      boolean joins,
      Set<DatabaseProduct> databases,
      int rate,
      Supplier<Contender> maker) {
    this(name, what, kind, promise, joins, databases, rate, maker, null);
  }

  /** One who runs graphs. */
  static Entry ofFlows(
      String name,
      String what,
      Kind kind,
      boolean joins,
      Set<DatabaseProduct> databases,
      Supplier<FlowContender> flows) {
    Supplier<Contender> none =
        () -> {
          throw new IllegalStateException(name + " carries no messages");
        };
    return new Entry(name, what, kind, Promise.NO_ORDER, joins, databases, 0, none, flows);
  }

  /** Whether it runs graphs of steps, and carries no messages. */
  public boolean isOfFlows() {
    return flows != null;
  }

  /** Whether it carries messages: not graphs, and not only jobs. */
  public boolean carriesMessages() {
    return flows == null && !name.equals(Contenders.JOBS);
  }

  /** A new one that runs graphs. */
  public FlowContender newFlows() {
    return Given.here(flows).get();
  }

  /** What a contender counts as. */
  public enum Kind {
    /** Waybill itself. */
    WAYBILL,
    /** A library that people use. */
    LIBRARY,
    /** Written by us, to compare with. */
    YARDSTICK
  }

  /** Whether it runs on this database. */
  public boolean runsOn(DatabaseProduct product) {
    return databases.contains(product);
  }
}
