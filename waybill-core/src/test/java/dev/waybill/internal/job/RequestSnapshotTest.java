package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.JobRequest;
import dev.waybill.job.Scope;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Golden: jobs of every release are compared with these texts. They must never change. */
class RequestSnapshotTest {
  @Test
  void theLeastThatARequestSays() {
    assertThat(RequestSnapshot.of(JobRequest.of("mail").idempotencyKey("k").build()))
        .isEqualTo(
            "{\"due_at\":null,\"max_attempts\":null,\"payload\":{},\"priority\":null,"
                + "\"stage\":\"queued\",\"timeout_micros\":null}");
  }

  @Test
  void theMostThatARequestSays() {
    JobRequest request =
        JobRequest.of("mail")
            .idempotencyKey("k")
            .scope(Scope.tenant("acme"))
            .payload("{\"z\": [1.50, \"é\\u0007\"], \"a\": null}")
            .priority(7)
            .maxAttempts(3)
            .timeout(Duration.ofMillis(1500))
            .dueAt(Instant.parse("2030-01-02T03:04:05.6Z"))
            .stage("import")
            .resourceKey("printer")
            .build();
    assertThat(RequestSnapshot.of(request))
        .isEqualTo(
            "{\"due_at\":\"2030-01-02T03:04:05.600000Z\",\"max_attempts\":3,"
                + "\"payload\":{\"a\":null,\"z\":[1.5,\"é\\u0007\"]},\"priority\":7,"
                + "\"resource_key\":\"printer\",\"stage\":\"import\",\"timeout_micros\":1500000}");
  }

  @Test
  void aDelayIsWrittenOnlyIfThereIsOne() {
    JobRequest request =
        JobRequest.of("mail").idempotencyKey("k").delay(Duration.ofSeconds(2)).build();
    assertThat(RequestSnapshot.of(request)).contains("\"delay_micros\":2000000,");
  }

  @Test
  void differencesAreNamed() {
    assertThat(
            RequestSnapshot.differences("{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1.0,\"b\":3,\"d\":4}"))
        .containsExactly("b", "c", "d");
    assertThat(RequestSnapshot.differences("{\"a\":1}", "{}")).containsExactly("a");
  }

  @Test
  void digestsOfKeysAreGoldenToo() {
    assertThat(JobKeys.idempotency("mail", "", "k"))
        .isEqualTo("fhFb6U-4pRjn7JBnOraThWGeqGx0EUkucjYM-4blQU4");
    assertThat(JobKeys.active("mail", "acme", "k"))
        .isEqualTo("dbjrMcRDO4iWX0yW11pixDjFsAOkcGGsh8AuaRRSDK8");
    assertThat(JobKeys.resource("printer"))
        .isEqualTo("1AS5iTlSuc9WHo37Kjv-IUj0Fs3dYvBpbAhDayTf7eI");
    assertThat(JobKeys.idempotency("ab", "c", "d"))
        .isNotEqualTo(JobKeys.idempotency("a", "bc", "d"));
  }
}
