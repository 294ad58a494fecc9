package dev.waybill.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.bench.report.Result;
import dev.waybill.bench.report.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The smallest benchmark, end to end; SQLite needs no server. */
class BenchCommandTest {

  @Test
  void measuresJudgesAndReports(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("out.json");
    Path html = folder.resolve("report.html");
    Path docs = folder.resolve("benchmarks.md");

    int code =
        BenchCommand.run(
            "--scale=tiny",
            "--accept-noise",
            "--repetitions=1",
            "--scenario=S1,J1,W2",
            "--db=sqlite",
            "--contender=hand-unordered,waybill-leased,waybill-jobs,waybill-workflows",
            "--json=" + json,
            "--html=" + html,
            "--docs=" + docs);

    assertThat(code).isZero();
    Results results = Results.read(json);
    assertThat(results.results())
        .extracting(Result::contender)
        .containsExactly(
            "hand-unordered",
            "waybill-leased",
            "waybill-jobs",
            "waybill-workflows",
            "waybill-workflows");
    assertThat(results.results()).allMatch(result -> result.failure() == null);
    assertThat(Files.readString(html)).contains("<svg").doesNotContain("http-equiv", "src=");
    assertThat(Files.readString(docs)).contains("## Method").contains("waybill-leased");
    assertThat(BenchCommand.run("--from=" + json)).isZero();
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    assertThat(BenchCommand.run("--scenario=S99")).isEqualTo(2);
    assertThat(BenchCommand.run("--contender=nobody")).isEqualTo(2);
    assertThat(BenchCommand.run("--db=paper")).isEqualTo(2);
    assertThat(BenchCommand.run("--scale=x")).isEqualTo(2);
    assertThat(BenchCommand.run("--repetitions=0")).isEqualTo(2);
    assertThat(BenchCommand.run("--url=jdbc:paper://here")).isEqualTo(2);
  }
}
