package dev.waybill.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A database server that the tests need cannot be had; says why and what to do. */
final class ServerFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int TAIL = 30;

  ServerFailure(Edition edition, String why) {
    super(
        """
        %s cannot start: %s
        To test without it:                  ./waybill test --without %s
        To test on a server of your own:     %s=<JDBC URL with user and password>"""
            .formatted(edition.label(), why, edition.id(), edition.urlVariable()));
  }

  ServerFailure(Edition edition, String why, Path log) {
    this(edition, why + "\n--- end of its log ---\n" + tail(log) + "\n---");
  }

  ServerFailure(Edition edition, Throwable cause) {
    this(edition, cause.toString());
    initCause(cause);
  }

  private static String tail(Path log) {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
