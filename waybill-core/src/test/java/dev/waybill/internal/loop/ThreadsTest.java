package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

class ThreadsTest {
  @Test
  void pooledThreadsAreNamedDaemons() throws Exception {
    Thread thread = threadOf(Threads.platform());
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).startsWith("waybill-");
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void withoutVirtualThreadsTheBestArePooled() throws Exception {
    assertThat(threadOf(Threads.best()).getName()).startsWith("waybill-");
    assertThatThrownBy(Threads::virtual)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("virtual");
  }

  @Test
  @EnabledForJreRange(minVersion = 24)
  void whereVirtualThreadsMayBlockTheyAreTheBest() throws Exception {
    Thread thread = threadOf(Threads.best());
    assertThat((boolean) Thread.class.getMethod("isVirtual").invoke(thread)).isTrue();
  }

  private static Thread threadOf(ExecutorService threads) throws Exception {
    try {
      return threads.submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
    } finally {
      threads.shutdown();
    }
  }
}
