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

  private final String why;

  ServerFailure(Edition edition, String why) {
    super(
        """
        %s cannot start: %s
        To test without it:                  ./waybill test --without %s"""
                .formatted(edition.version(), why, edition.id())
            + (edition.mayBeUsers()
                ? "\nTo test on a server of your own:     %s=<JDBC URL with user and password>"
                    .formatted(edition.urlVariable())
                : ""));
    this.why = why;
  }

  private ServerFailure(String message, String why, Throwable cause) {
    super(message, cause);
    this.why = why;
  }

  /** The variable that names a server of the user's own names none that tests can use. */
  static ServerFailure ofUsers(Edition edition, String why, Throwable cause) {
    return new ServerFailure(
        """
        %s is set, and tests cannot run there: %s
        It must be a URL such as jdbc:%s://host:port/%s?user=u&password=p whose user may create databases: see CONTRIBUTING.md.
        To test on %s, which the build brings:     unset %s
        To test without it:     ./waybill test --without %s"""
            .formatted(
                edition.urlVariable(),
                why,
                ServerAddress.scheme(edition.product()),
                edition.product() == DatabaseProduct.POSTGRESQL ? "postgres" : "",
                edition.version(),
                edition.urlVariable(),
                edition.id()),
        why,
        cause);
  }

  /** Without what to do. */
  String why() {
    return why;
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
