package dev.waybill.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** The processor time of this JVM. */
public final class JvmCpu {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private JvmCpu() {}

  /** Microseconds so far, of all threads. */
  public static long micros() {
    return TimeUnit.NANOSECONDS.toMicros(SYSTEM.getProcessCpuTime());
  }
}
