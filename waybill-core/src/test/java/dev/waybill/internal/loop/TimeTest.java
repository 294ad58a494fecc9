package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TimeTest {
  private final ReentrantLock lock = new ReentrantLock();

  @Test
  void realWaitsEndWhenTheTimeHasPassed() throws Exception {
    Time time = Time.system();
    var condition = lock.newCondition();
    long from = time.nanos();
    lock.lock();
    try {
      long left = 5_000_000;
      while (left > 0) {
        time.await(lock, condition, left);
        left = 5_000_000 - (time.nanos() - from);
      }
    } finally {
      lock.unlock();
    }
    assertThat(time.nanos() - from).isGreaterThanOrEqualTo(5_000_000);
  }

  @Test
  void realWaitsEndWhenSignalled() throws Exception {
    Time time = Time.system();
    var condition = lock.newCondition();
    var done = new boolean[1];
    lock.lock();
    try {
      Background.run(
          () -> {
            lock.lock();
            try {
              done[0] = true;
              condition.signalAll();
            } finally {
              lock.unlock();
            }
          });
      while (!done[0]) {
        time.await(lock, condition, Time.FOREVER);
      }
    } finally {
      lock.unlock();
    }
    assertThat(done[0]).isTrue();
  }

  @Test
  void waitingForNothingReturnsAtOnce() throws Exception {
    lock.lock();
    try {
      Time.system().await(lock, lock.newCondition(), 0);
      Time.system().await(lock, lock.newCondition(), -1);
    } finally {
      lock.unlock();
    }
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void theWallClockIsNotTheMonotonicOne() {
    var time = new ManualTime();
    long before = time.nanos();
    time.jumpWall(Duration.ofHours(-1));
    assertThat(time.nanos()).isEqualTo(before);
    assertThat(Time.system().now()).isNotNull();
  }
}
