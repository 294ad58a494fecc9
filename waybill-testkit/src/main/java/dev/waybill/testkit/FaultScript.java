package dev.waybill.testkit;

import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.Injection.Armed;
import dev.waybill.testkit.Operation.Kind;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What has happened on all connections of a {@link FaultyDataSource}, and what shall go wrong. */
final class FaultScript {
  private final Monitor monitor = new Monitor();
  private final List<Operation> trace = new ArrayList<>();
  private final List<Armed> armed = new ArrayList<>();
  private int connections;

  void arm(Armed fault) {
    monitor.change(() -> armed.add(fault));
  }

  int nextConnection() {
    return monitor.read(() -> ++connections);
  }

  List<Operation> trace() {
    return monitor.read(() -> List.copyOf(trace));
  }

  long count(Kind kind) {
    return monitor.read(() -> trace.stream().filter(made -> made.kind() == kind).count());
  }

  void reset() {
    List<Armed> disarmed =
        monitor.read(
            () -> {
              var all = List.copyOf(armed);
              armed.clear();
              trace.clear();
              return all;
            });
    disarmed.forEach(Armed::disarm);
  }

  /**
   * Makes the real call in the midst of the faults that are due at it.
   *
   * @param over the real connection it goes over; nothing before there is one
   */
  @Nullable Object run(Operation operation, Supplier<@Nullable Connection> over, RealCall call)
      throws Throwable {
    List<Armed> due =
        monitor.read(
            () -> {
              trace.add(operation);
              return armed.stream().filter(fault -> fault.strikesAt(operation)).toList();
            });
    for (var fault : due) {
      fault.strike(Moment.BEFORE, over.get());
    }
    Object result = call.make();
    for (var fault : due) {
      fault.strike(Moment.AFTER, over.get());
    }
    return result;
  }

  /** A call to the driver or the pool underneath. */
  interface RealCall {
    @Nullable Object make() throws Throwable;
  }
}
