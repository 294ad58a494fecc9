package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCacheTest {

  @TempDir Path root;

  @Test
  void fillsAnEntryOnce() throws IOException {
    ServerCache cache = new ServerCache(root);
    Path entry = cache.entry("server-1", folder -> Files.writeString(folder.resolve("bin"), "x"));
    Path again =
        cache.entry(
            "server-1",
            folder -> {
              throw new IOException("filled twice");
            });
    assertThat(again).isEqualTo(entry);
    assertThat(entry.resolve("bin")).hasContent("x");
  }

  @Test
  void leavesNoHalfFilledEntry() throws IOException {
    ServerCache cache = new ServerCache(root);
    assertThatThrownBy(
            () ->
                cache.entry(
                    "server-1",
                    folder -> {
                      Files.writeString(folder.resolve("half"), "x");
                      throw new IOException("disk full");
                    }))
        .hasMessage("disk full");
    Path entry = cache.entry("server-1", folder -> Files.writeString(folder.resolve("bin"), "x"));
    assertThat(entry).isDirectoryNotContaining("glob:**half").isDirectoryContaining("glob:**bin");
  }
}
