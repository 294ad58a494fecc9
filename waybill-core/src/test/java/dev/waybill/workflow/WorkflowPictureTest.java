package dev.waybill.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.Scope;
import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

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

  @Test
  void svgIsWellFormedAndShowsEverything() throws Exception {
    Document picture = parsed(WorkflowPicture.of(ORDER).svg());
    assertThat(texts(picture))
        .contains("order", "pay", "approve", "cool", "ship", "2 of 3", "/by = \"boss\"");
    assertThat(picture.getElementsByTagName("rect").getLength()).isEqualTo(1 + 3);
    // A gate, and a line and a head for each edge.
    assertThat(picture.getElementsByTagName("path").getLength()).isEqualTo(1 + 2 * 4);
  }

  @Test
  void aMapLooksLikeMoreThanOne() throws Exception {
    WorkflowPicture picture =
        WorkflowPicture.of(
            Workflow.of("m")
                .step(Step.job("plan", "t"))
                .step(Step.map("pick", "t").over("plan", ""))
                .build());
    assertThat(picture.dot()).contains("\"pick\" [label=\"pick\", shape=box3d");
    assertThat(picture.mermaid()).contains("[[\"pick\"]]");
    // The background, the job, and two for the map.
    assertThat(parsed(picture.svg()).getElementsByTagName("rect").getLength()).isEqualTo(1 + 3);
  }

  @Test
  void svgPutsAStepBehindAllItWaitsFor() throws Exception {
    Workflow workflow =
        Workflow.of("chain")
            .step(Step.job("c", "t").after("b", "a"))
            .step(Step.job("b", "t").after("a"))
            .step(Step.job("a", "t"))
            .build();
    Document picture = parsed(WorkflowPicture.of(workflow).svg());
    assertThat(x(picture, "a")).isLessThan(x(picture, "b"));
    assertThat(x(picture, "b")).isLessThan(x(picture, "c"));
  }

  @Test
  void svgTakesNoTextForMarkup() throws Exception {
    WorkflowInfo run =
        new WorkflowInfo(
            UUID.randomUUID(),
            "<script>alert(1)</script>\u0001",
            Scope.global(),
            WorkflowStatus.RUNNING,
            0,
            0,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            Instant.EPOCH,
            null);
    Document picture = parsed(WorkflowPicture.of(run, List.of()).svg());
    assertThat(picture.getElementsByTagName("script").getLength()).isZero();
    assertThat(texts(picture)).contains("<script>alert(1)</script>? RUNNING");
  }

  private static Document parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  private static List<String> texts(Document picture) {
    NodeList all = picture.getElementsByTagName("text");
    return IntStream.range(0, all.getLength()).mapToObj(i -> all.item(i).getTextContent()).toList();
  }

  private static double x(Document picture, String text) {
    NodeList all = picture.getElementsByTagName("text");
    return IntStream.range(0, all.getLength())
        .mapToObj(all::item)
        .filter(node -> node.getTextContent().equals(text))
        .mapToDouble(node -> Double.parseDouble(((Element) node).getAttribute("x")))
        .findFirst()
        .orElseThrow();
  }
}
