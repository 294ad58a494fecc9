package dev.waybill.internal.notice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnnouncementTest {
  @Test
  void isReadAsItWasWritten() {
    for (List<String> words : List.of(List.<String>of(), List.of("4"), List.of("4", "7", "9"))) {
      var announcement = new Announcement("12-ab", "READY", words);
      assertThat(Announcement.parse(announcement.text())).hasValue(announcement);
    }
  }

  @Test
  void whatSomebodyElseSaysIsNotUnderstood() {
    assertThat(Announcement.parse("")).isEmpty();
    assertThat(Announcement.parse("hello")).isEmpty();
    assertThat(Announcement.parse("a/b/c/d")).isEmpty();
  }

  @Test
  void manyWordsAreSaidInSeveralNotices() {
    List<String> words =
        IntStream.range(0, 2000).mapToObj(n -> Long.toString(Long.MAX_VALUE - n)).toList();
    List<Announcement> parts = Announcement.of("12-ab", "READY", words);
    assertThat(parts).hasSizeGreaterThan(4).allMatch(part -> part.text().length() < 8000);
    assertThat(parts.stream().flatMap(part -> part.words().stream()))
        .containsExactlyElementsOf(words);
  }

  @Test
  void nothingToAddIsSaidOnce() {
    assertThat(Announcement.of("12-ab", "JOB", List.of()))
        .containsExactly(Announcement.of("12-ab", "JOB"));
  }
}
