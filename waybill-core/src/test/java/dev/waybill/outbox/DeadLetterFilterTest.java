package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.outbox.DeadLetterException.InvalidFilter;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class DeadLetterFilterTest {
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();

  private static void refused(String field, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            InvalidFilter.class, refused -> assertThat(refused.field()).isEqualTo(field))
        .hasMessageStartingWith("The dead-letter filter's " + field);
  }

  @Test
  void concernsOneHundredUnlessItSaysMoreOrNamesMore() {
    assertThat(ALL.limit()).isEqualTo(100);
    assertThat(ALL.limit(7).limit()).isEqualTo(7);
    assertThat(ALL.ids(List.of(1L, 2L, 1L)).ids()).containsExactly(1L, 2L);
    assertThat(ALL.ids(LongStream.range(0, 250).boxed().toList()).limit()).isEqualTo(250);
    assertThat(ALL.ids(List.of(1L, 2L)).limit(1).limit()).isEqualTo(1);
  }

  @Test
  void aLimitIsFromOneToTenThousand() {
    refused("limit", () -> ALL.limit(0));
    refused("limit", () -> ALL.limit(-1));
    refused("limit", () -> ALL.limit(10_001));
    assertThat(ALL.limit(10_000).limit()).isEqualTo(10_000);
  }

  @Test
  void idsAreAtMostTenThousand() {
    refused("ids", () -> ALL.ids(LongStream.rangeClosed(0, 10_000).boxed().toList()));
  }

  @Test
  void aPartitionIsOneOfAQueue() {
    refused("partition", () -> ALL.partition("orders", -1));
    refused("partition", () -> ALL.partition("orders", 64));
    assertThat(ALL.partition("orders", 63).queue()).isEqualTo("orders");
    assertThat(ALL.partition("orders", 63).queue("ledger").partition()).isNull();
  }

  @Test
  void aTypeIsPrintable() {
    refused("type", () -> ALL.type("a\u0000b"));
    refused("type", () -> ALL.type("Zoë"));
    refused("type", () -> ALL.type("x".repeat(1025)));
    assertThat(ALL.type("").type()).isEmpty();
  }

  @Test
  void timesAreInOrderAndOfThisWorld() {
    Instant noon = Instant.parse("2024-05-01T12:00:00Z");
    refused("failedAfter", () -> ALL.failedAfter(Instant.MIN));
    refused("failedBefore", () -> ALL.failedBefore(Instant.MAX));
    refused("failedAfter", () -> ALL.failedBefore(noon).failedAfter(noon));
    assertThat(ALL.failedAfter(noon).failedBefore(noon.plusNanos(1)).failedAfter()).isEqualTo(noon);
  }

  @Test
  void aStatusReplacesTheOneBefore() {
    assertThat(ALL.statuses()).isEmpty();
    assertThat(ALL.status(DeadLetterStatus.PENDING).status(DeadLetterStatus.RESOLVED).statuses())
        .containsExactly(DeadLetterStatus.RESOLVED);
    assertThat(ALL.anyStatus().statuses()).hasSize(4);
  }
}
