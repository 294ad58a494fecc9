package dev.waybill.internal.outbox;

import dev.waybill.outbox.Batch;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.HandlerTransaction;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.OutboxMessage;
import java.sql.SQLException;

/** The handlers of one simulated process: each may do anything that a handler can do. */
final class SimulatedHandlers {
  private final Simulation simulation;
  private final Simulation.Node node;

  SimulatedHandlers(Simulation simulation, Simulation.Node node) {
    this.simulation = simulation;
    this.node = node;
  }

  /** A process that has died in its handler does not come back from it. */
  private void meanwhile(boolean transactional) throws SQLException {
    if (!simulation.meanwhile(node, transactional)) {
      throw new IllegalStateException("died");
    }
  }

  HandlerResult parcels(Batch batch) throws SQLException {
    for (OutboxMessage each = batch.next(); each != null; each = batch.next()) {
      simulation.history.given(each, batch.epoch());
      meanwhile(false);
      if (simulation.chance(8)) {
        return HandlerResult.retry("busy");
      }
      if (simulation.chance(3)) {
        throw new IllegalStateException("thrown");
      }
      if (simulation.chance(5)) {
        batch.reject("bad");
      } else {
        batch.ack();
      }
      if (batch.remaining().isZero()) {
        break;
      }
    }
    return HandlerResult.success();
  }

  MessageResult accounts(OutboxMessage message) throws SQLException {
    simulation.history.given(message, 0);
    meanwhile(false);
    if (simulation.chance(25)) {
      return MessageResult.retry("busy");
    }
    simulation.history.settled(message);
    return simulation.chance(5) ? MessageResult.reject("bad") : MessageResult.ok();
  }

  HandlerResult write(HandlerTransaction tx, OutboxMessage message) throws SQLException {
    simulation.history.written(tx.connection(), message);
    meanwhile(true);
    if (simulation.chance(15)) {
      return HandlerResult.retry("busy");
    }
    if (simulation.chance(3)) {
      throw new IllegalStateException("thrown");
    }
    return simulation.chance(5) ? HandlerResult.reject("bad") : HandlerResult.success();
  }
}
