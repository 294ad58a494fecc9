package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.outbox.Settlement.Rejection;
import dev.waybill.internal.outbox.Settlement.Verdict;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.LeasedHandler;
import dev.waybill.outbox.MessageResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OneByOneTest {
  private final TestTime time = new TestTime();
  private final List<Long> seen = new ArrayList<>();
  private final LeasedBatch batch =
      new LeasedBatch(
          Messages.several(5),
          1,
          time.nanos() + Duration.ofSeconds(28).toNanos(),
          time,
          Optional::empty);

  @Test
  void allOk() throws Exception {
    var settlement = deliver(message -> MessageResult.ok());
    assertThat(settlement).isEqualTo(new Settlement(Verdict.SUCCESS, 5, 5, 5, List.of(), null));
    assertThat(seen).containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void aRetryStopsTheBatchAndKeepsWhatWasDone() throws Exception {
    var settlement = deliver(m -> m.seq() == 3 ? MessageResult.retry("busy") : MessageResult.ok());
    assertThat(settlement).isEqualTo(new Settlement(Verdict.RETRY, 5, 2, 2, List.of(), "busy"));
    assertThat(seen).containsExactly(1L, 2L, 3L);
  }

  @Test
  void aRejectionDoesNotStopTheBatch() throws Exception {
    var settlement = deliver(m -> m.seq() == 2 ? MessageResult.reject("bad") : MessageResult.ok());
    assertThat(settlement)
        .isEqualTo(
            new Settlement(Verdict.SUCCESS, 5, 5, 5, List.of(new Rejection(1, "bad")), null));
  }

  @Test
  void beginsNoMessageAfterTheTimeIsUpAndLeavesTheRest() throws Exception {
    var settlement =
        deliver(
            m -> {
              time.advance(Duration.ofSeconds(14));
              return MessageResult.ok();
            });
    assertThat(seen).containsExactly(1L, 2L);
    assertThat(settlement.verdict()).isEqualTo(Verdict.SUCCESS);
    assertThat(settlement.processed()).isEqualTo(2);
    assertThat(settlement.hasLeftover()).isTrue();
  }

  @Test
  @SuppressWarnings("NullAway") // The point of the test.
  void nullIsARetry() throws Exception {
    var settlement = deliver(m -> m.seq() == 2 ? null : MessageResult.ok());
    assertThat(settlement.verdict()).isEqualTo(Verdict.RETRY);
    assertThat(settlement.processed()).isEqualTo(1);
  }

  @Test
  void anExceptionPassesAndWhatWasDoneCounts() {
    assertThatThrownBy(
            () ->
                deliver(
                    m -> {
                      if (m.seq() == 4) {
                        throw new java.io.IOException("refused");
                      }
                      return MessageResult.ok();
                    }))
        .hasMessage("refused");
    assertThat(batch.conclude(HandlerResult.retry("refused")).processed()).isEqualTo(3);
  }

  private Settlement deliver(LeasedHandler handler) throws Exception {
    LeasedHandler watched =
        message -> {
          seen.add(message.seq());
          return handler.handle(message);
        };
    return batch.conclude(new OneByOne(watched).handle(batch));
  }
}
