package dev.waybill.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.HistoryChecker.Stored;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
  @Test
  void aDiaryIsReadUpToItsLastWholeLineAndWhatACrashMayTakeBackIsNotBelieved(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("diary");
    Diary diary = new Diary(file);
    diary.given(0, 1, 1, "a:1");
    diary.given(0, 1, 2, "a:1");
    diary.stored(0, 1, 2);
    diary.rolledBack(20);
    diary.leaseLost(0, 1);
    Files.writeString(file, Files.readString(file) + "given 0 2 2 a");
    History believed = new History(List.of());
    believed.read(file);
    assertThat(believed.given()).hasSize(2);
    assertThat(believed.repeated()).isOne();
    assertThat(believed.stored()).containsExactly(new Stored(0, 1, 2));
    assertThat(believed.rolledBack()).isEqualTo(20);
    assertThat(believed.leasesLost()).isOne();
    History doubted = new History(List.of(new History.Crash(System.nanoTime(), System.nanoTime())));
    doubted.read(file);
    assertThat(doubted.stored()).isEmpty();
  }
}
