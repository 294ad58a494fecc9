package dev.waybill.bench.run;

import java.io.PrintStream;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The hot parts that need no database, by JMH: nanoseconds and bytes allocated per operation. */
final class Micro {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private Micro() {}

  static void run(PrintStream out) throws RunnerException {
    var options =
        new OptionsBuilder()
            .include("dev\\.waybill\\.internal\\..*Benchmark")
            .warmupIterations(3)
            .warmupTime(TimeValue.seconds(1))
            .measurementIterations(5)
            .measurementTime(TimeValue.seconds(1))
            .forks(2)
            .addProfiler("gc")
            .verbosity(VerboseMode.SILENT)
            .build();
    out.printf("%-40s %12s %10s %10s%n", "", "ns/op", "+-", "bytes/op");
    for (RunResult each : sorted(new Runner(options).run())) {
      Result<?> time = each.getPrimaryResult();
      Result<?> bytes = each.getSecondaryResults().get(ALLOCATED);
      String name = each.getParams().getBenchmark();
      out.printf(
          "%-40s %12.1f %10.1f %10.1f%n",
          name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1),
          time.getScore(),
          time.getScoreError(),
          bytes == null ? Double.NaN : bytes.getScore());
    }
  }

  private static List<RunResult> sorted(Collection<RunResult> results) {
    return results.stream()
        .sorted(Comparator.comparing(each -> each.getParams().getBenchmark()))
        .toList();
  }
}
