package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script, on the tree that was just built. */
class LauncherIT {
  private static final Path LAUNCHER = Path.of(System.getProperty("waybill.root"), "waybill");

  private static Cli launch(
      File directory, Map<String, String> environment, Path launcher, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(args));
    return Cli.run(new ProcessBuilder(command).directory(directory), environment);
  }

  @Test
  void worksFromAnyDirectoryAndThroughALinkWithSpaces(@TempDir Path folder) throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("way bill"), LAUNCHER);
    Cli version = launch(folder.toFile(), Map.of(), link, "--version");
    assertThat(version.exit()).as(version.err()).isZero();
    assertThat(version.out()).startsWith("waybill ");
  }

  @Test
  void saysSoWhenThereIsNoJava(@TempDir Path folder) throws Exception {
    Cli version =
        launch(
            folder.toFile(),
            Map.of("PATH", onlyTheBasics(folder), "JAVA_HOME", ""),
            LAUNCHER,
            "--version");
    assertThat(version.exit()).isEqualTo(1);
    assertThat(version.err()).contains("no Java found").contains("JAVA_HOME");
  }

  @Test
  void refusesAnOldJava(@TempDir Path folder) throws Exception {
    Path java = Files.createDirectories(folder.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nexit 0\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");
    Cli version =
        launch(folder.toFile(), Map.of("JAVA_HOME", folder.toString()), LAUNCHER, "--version");
    assertThat(version.exit()).isEqualTo(1);
    assertThat(version.err()).contains("is 11").contains("17 or newer");
  }

  @Test
  void saysSoWhenThereIsNoMaven(@TempDir Path folder) throws Exception {
    Cli test =
        launch(
            folder.toFile(),
            Map.of("PATH", onlyTheBasics(folder), "JAVA_HOME", System.getProperty("java.home")),
            LAUNCHER,
            "test");
    assertThat(test.exit()).isEqualTo(1);
    assertThat(test.err()).contains("no Maven found");
  }

  private static String onlyTheBasics(Path folder) throws IOException {
    Path programs = Files.createDirectory(folder.resolve("bin"));
    for (String program : List.of("bash", "env", "dirname", "readlink", "sed", "find")) {
      Files.createSymbolicLink(programs.resolve(program), which(program));
    }
    return programs.toString();
  }

  private static Path which(String program) {
    for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
      Path path = Path.of(folder, program);
      if (Files.isExecutable(path)) {
        return path;
      }
    }
    throw new AssertionError("No " + program + " on the PATH");
  }
}
