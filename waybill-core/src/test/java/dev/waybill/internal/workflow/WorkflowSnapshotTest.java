package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The form in which requests are compared must never change. */
class WorkflowSnapshotTest {
  @Test
  void golden() {
    Workflow workflow =
        Workflow.of("order")
            .input("{\"b\":1.50,\"a\":null}")
            .idempotencyKey("k")
            .activeKey("active")
            .resultStep("ship")
            .attribute("customer", "7")
            .step(
                Step.job("ship", "ship-it")
                    .priority(5)
                    .maxAttempts(3)
                    .timeout(Duration.ofSeconds(2))
                    .stage("shipping")
                    .resourceKey("van")
                    .delay(Duration.ofMillis(5))
                    .afterEnd("pay")
                    .after("approve", Condition.at("/ok").is("true"))
                    .any()
                    .mayFail())
            .step(Step.job("pay", "pay-it").payload("[1.0]"))
            .step(Step.map("pick", "pick-it").over("pay", "/0"))
            .step(
                Step.workflow(
                    "sub", Workflow.of("inner").step(Step.gate("g").token("secret")).build()))
            .step(
                Step.gate("approve")
                    .token("secret")
                    .deadline(Duration.ofHours(1))
                    .remind(Duration.ofMinutes(1), "mail"))
            .build();
    assertThat(WorkflowSnapshot.of(workflow))
        .isEqualTo(
            "{\"active_key\":\"active\",\"attributes\":{\"customer\":\"7\"},\"input\":{\"a\":null,\"b\":1.5},"
                + "\"result_step\":\"ship\",\"steps\":["
                + "{\"deadline_micros\":3600000000,\"key\":\"approve\",\"kind\":\"GATE\",\"payload\":{},\"remind_micros\":60000000,\"remind_type\":\"mail\",\"stage\":\"queued\"},"
                + "{\"key\":\"pay\",\"kind\":\"JOB\",\"payload\":[1],\"stage\":\"queued\",\"type\":\"pay-it\"},"
                + "{\"after\":[{\"mode\":\"ON_SUCCESS\",\"step\":\"pay\"}],\"key\":\"pick\",\"kind\":\"MAP\",\"over\":{\"at\":\"/0\",\"step\":\"pay\"},\"payload\":{},\"stage\":\"queued\",\"type\":\"pick-it\"},"
                + "{\"after\":[{\"if\":{\"at\":\"/ok\",\"test\":\"EQUAL\",\"value\":true},\"mode\":\"ON_SUCCESS\",\"step\":\"approve\"},{\"mode\":\"ON_TERMINAL\",\"step\":\"pay\"}],"
                + "\"at_least\":1,\"delay_micros\":5000,\"key\":\"ship\",\"kind\":\"JOB\",\"max_attempts\":3,\"may_fail\":true,\"payload\":{},\"priority\":5,"
                + "\"resource_key\":\"van\",\"stage\":\"shipping\",\"timeout_micros\":2000000,\"type\":\"ship-it\"},"
                + "{\"key\":\"sub\",\"kind\":\"WORKFLOW\",\"payload\":{},\"stage\":\"queued\",\"workflow\":{\"input\":{},\"steps\":[{\"key\":\"g\",\"kind\":\"GATE\",\"payload\":{},\"stage\":\"queued\"}],\"type\":\"inner\"}}]}");
  }
}
