package dev.waybill.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WorkflowPictureTest {
  private static final Workflow ORDER =
      Workflow.of("order")
          .step(Step.job("pay", "pay"))
          .step(Step.gate("approve"))
          .step(Step.delay("cool", Duration.ofHours(1)).afterEnd("pay"))
          .step(
              Step.job("ship", "ship")
                  .after("approve", Condition.at("/by").is("\"boss\""))
                  .after("pay", "cool")
                  .atLeast(2))
          .build();

  @Test
  void dot() {
    assertThat(WorkflowPicture.of(ORDER).dot())
        .isEqualTo(
            """
            digraph workflow {
              rankdir=LR;
              label="order";
              node [style=filled, fontname="sans-serif"];
              "pay" [label="pay", shape=box, fillcolor="#eeeeee"];
              "approve" [label="approve", shape=diamond, fillcolor="#eeeeee"];
              "cool" [label="cool", shape=ellipse, fillcolor="#eeeeee"];
              "ship" [label="ship\\n2 of 3", shape=box, fillcolor="#eeeeee"];
              "pay" -> "cool" [label="", style=dashed];
              "approve" -> "ship" [label="/by = \\"boss\\""];
              "pay" -> "ship" [label=""];
              "cool" -> "ship" [label=""];
            }
            """);
  }

  @Test
  void mermaid() {
    assertThat(WorkflowPicture.of(ORDER).mermaid())
        .isEqualTo(
            """
            flowchart LR
              s0["pay"]
              style s0 fill:#eeeeee
              s1{"approve"}
              style s1 fill:#eeeeee
              s2("cool")
              style s2 fill:#eeeeee
              s3["ship<br/>2 of 3"]
              style s3 fill:#eeeeee
              s0 -.-> s2
              s1 -->|"/by = &quot;boss&quot;"| s3
              s0 --> s3
              s2 --> s3
            """);
  }
}
