package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.outbox.OutboxMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VisibleTest {
  /** Clears the screen, sets the title, rings, in seven bits and in eight. */
  private static final String HOSTILE = "a\033[2J\033]0;x\007b\u009b2Jc\177d\re\tf";

  private static final String HARMLESS = "a\\u001b[2J\\u001b]0;x\\u0007b\\u009b2Jc\\u007fd\\re\\tf";

  @Test
  void controlCharactersAreShownAndNotObeyed() {
    assertThat(Visible.line(HOSTILE)).isEqualTo(HARMLESS);
    assertThat(Visible.block(HOSTILE)).isEqualTo(HARMLESS);
    assertThat(Visible.line("Zürich 東京 🚚")).isEqualTo("Zürich 東京 🚚");
  }

  @Test
  void onlyABodyHasLines() {
    assertThat(Visible.line("one\ntwo\r\nthree")).isEqualTo("one\\ntwo\\r\\nthree");
    assertThat(Visible.block("one\ntwo\r\nthree\rfour")).isEqualTo("one\ntwo\r\nthree\\rfour");
  }

  @Test
  void aCellIsOneLine() {
    Table table = new Table("what", "why");
    table.row("x", HOSTILE + "\n0  forged");
    assertThat(table.text().lines()).hasSize(2);
    assertThat(table.text()).contains(HARMLESS + "\\n0  forged");
  }

  @Test
  void jsonForATerminalHasNoneEither() {
    assertThat(Json.write(Map.of("text", HOSTILE)))
        .contains("\\u009b2Jc\\u007fd")
        .satisfies(
            json ->
                assertThat(json.chars().filter(Character::isISOControl))
                    .allMatch(each -> each == '\n'));
  }

  @Test
  void linesOfAJobAreLinesAndItsBodyMayHaveMore() {
    List<String> lines = new ArrayList<>();
    JobText.line(lines, "error", "bad\n" + HOSTILE);
    JobText.body(lines, "payload", "{\n}" + HOSTILE);
    assertThat(lines)
        .containsExactly("error        bad\\n" + HARMLESS, "payload      {\n}" + HARMLESS);
  }

  @Test
  void aDeadLetterCannotForgeAnything() {
    DeadLetter letter =
        new DeadLetter(
            1,
            new Hostile(),
            DeadLetterStatus.PENDING,
            Instant.EPOCH,
            HOSTILE + "\nwhy        forged",
            null,
            null);
    assertThat(DeadLetterText.table(List.of(letter), 1).lines())
        .hasSize(2)
        .allSatisfy(VisibleTest::hasNoControls);
    assertThat(DeadLetterText.whole(letter).lines())
        .allSatisfy(VisibleTest::hasNoControls)
        .filteredOn(line -> line.startsWith("why "))
        .hasSize(1);
    assertThat(DeadLetterText.whole(letter)).contains("payload    {" + HARMLESS + "\n}");
    assertThat(MessageText.table(List.of(letter.message()), true).lines())
        .hasSize(2)
        .allSatisfy(VisibleTest::hasNoControls);
  }

  private static void hasNoControls(String line) {
    assertThat(line.chars()).noneMatch(Character::isISOControl);
  }

  private static final class Hostile implements OutboxMessage {
    @Override
    public String queue() {
      return "mail";
    }

    @Override
    public int partition() {
      return 0;
    }

    @Override
    public long seq() {
      return 1;
    }

    @Override
    public long id() {
      return 1;
    }

    @Override
    public String type() {
      return HOSTILE;
    }

    @Override
    public byte[] payload() {
      return text().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String text() {
      return "{" + HOSTILE + "\n}";
    }

    @Override
    public Map<String, String> headers() {
      return Map.of("origin", HOSTILE + "\nwhy        forged");
    }

    @Override
    public String key() {
      return HOSTILE + "\nwhy        forged";
    }

    @Override
    public Instant createdAt() {
      return Instant.EPOCH;
    }

    @Override
    public int attempts() {
      return 0;
    }
  }
}
