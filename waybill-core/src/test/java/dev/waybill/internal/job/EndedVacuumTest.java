package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.Next;
import dev.waybill.job.JobStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EndedVacuumTest {
  private final Map<JobStatus, Integer> left = new HashMap<>();
  private final EndedVacuum<JobStatus> vacuum =
      new EndedVacuum<>(
          "test-vacuum",
          Map.of(JobStatus.SUCCEEDED, Duration.ofDays(1), JobStatus.CANCELED, Duration.ofDays(2)),
          this::purge);

  private int purge(JobStatus status, Duration age, int atMost) {
    assertThat(age).isEqualTo(Duration.ofDays(status == JobStatus.SUCCEEDED ? 1 : 2));
    int there = left.getOrDefault(status, 0);
    int purged = Math.min(there, atMost);
    left.put(status, there - purged);
    return purged;
  }

  @Test
  void goesOnWhileAnyStatusHasMoreThanAPiece() {
    left.put(JobStatus.SUCCEEDED, 2 * EndedVacuum.PIECE + 1);
    left.put(JobStatus.CANCELED, 1);
    assertThat(vacuum.runOnce()).isEqualTo(Next.now());
    assertThat(vacuum.runOnce()).isEqualTo(Next.now());
    assertThat(vacuum.runOnce()).isEqualTo(Next.after(Duration.ofMinutes(1)));
    assertThat(left.values()).containsOnly(0);
  }
}
