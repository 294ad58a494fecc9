package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.testkit.Signals;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RunningJobsTest {
  private final RunningJobs running = new RunningJobs(2);

  private List<JobRun> begun(int jobs) {
    List<JobRun> runs = IntStream.range(0, jobs).mapToObj(i -> run()).toList();
    running.add(runs);
    return runs;
  }

  /** Of a job without anything special. */
  static Claim claim(Duration timeout) {
    return new Claim(
        UUID.randomUUID(),
        "t",
        "",
        1,
        1,
        1,
        1,
        3,
        timeout.toNanos() / 1000,
        null,
        1,
        null,
        null,
        null,
        null,
        null,
        "{}",
        null);
  }

  private static JobRun run() {
    Claim claim = claim(Duration.ofMinutes(1));
    return new JobRun(claim, "me", 0, Duration.ofMinutes(1), Runnable::run);
  }

  @Test
  void aSlotIsFreeWhenItsHandlerHasEnded() {
    List<JobRun> runs = begun(2);
    assertThat(running.free()).isZero();
    running.end(runs.get(0));
    assertThat(running.free()).isEqualTo(1);
    assertThat(running.has(runs.get(0).fence())).as("renewed until it is settled").isTrue();
    running.end(runs.get(1));
    running.remove(runs);
    assertThat(running.free()).isEqualTo(2);
    assertThat(running.all()).isEmpty();
    assertThat(running.ended()).isEmpty();
  }

  @Test
  void nothingIsClaimedWhileTooManyWaitToBeSettled() {
    List<JobRun> first = begun(2);
    first.forEach(running::end);
    begun(2).forEach(running::end);
    assertThat(running.free()).isZero();
    running.remove(List.of(first.get(0)));
    assertThat(running.free()).isEqualTo(1);
  }

  @Test
  void whoWaitsForAWorkflowHoldsUpNothing() {
    begun(2).forEach(running::end);
    begun(2).forEach(running::end);
    running.parked().set(4);
    assertThat(running.free()).isEqualTo(2);
  }

  /** Each of them would see two free slots, and think that the other one had said so. */
  @Test
  @Timeout(60)
  void whoWaitsForASlotHearsOfTwoThatAreGivenBackAtTheSameTime() throws Exception {
    var both = new CyclicBarrier(2);
    Set<Fence> ended =
        new AbstractSet<>() {
          private final Set<Fence> all = ConcurrentHashMap.newKeySet();

          @Override
          public boolean add(Fence fence) {
            all.add(fence);
            try {
              both.await();
            } catch (InterruptedException | BrokenBarrierException e) {
              throw new IllegalStateException(e);
            }
            return true;
          }

          @Override
          public Iterator<Fence> iterator() {
            return all.iterator();
          }

          @Override
          public int size() {
            return all.size();
          }
        };
    RunningJobs full = new RunningJobs(2, ended);
    List<JobRun> runs = List.of(run(), run());
    full.add(runs);
    var signals = new Signals();
    var crew = new Crew(Time.system());
    crew.add(
        new Worker() {
          @Override
          public String name() {
            return "claimer";
          }

          @Override
          public Next runOnce() {
            signals.fire(full.isFull() ? "full" : "free");
            return Next.whenRung();
          }
        },
        LoopOptions.defaults().withBells(full.changed()));
    crew.start();
    try {
      signals.await("full", JobBench.SOON);
      runs.forEach(run -> crew.run("handler", () -> full.end(run)));
      signals.await("free", JobBench.SOON);
    } finally {
      crew.stop(Duration.ofSeconds(1));
    }
  }
}
