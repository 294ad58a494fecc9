package dev.waybill.internal.doctor;

import dev.waybill.DatabaseException;
import dev.waybill.internal.sql.Tx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;

/** The file, and how connections to it are set up. */
final class SqliteTopic {
  private static final long OFF = 0;
  private static final long NORMAL = 1;

  private SqliteTopic() {}

  private record Pages(long all, long free, long bytesEach) {}

  static void examine(Patient patient, Findings findings) {
    patient.read(
        tx -> {
          writable(tx, findings);
          journal(tx, findings);
          durability(tx, findings);
          findings.ok(
              "busy-timeout",
              "Waybill's own connections wait "
                  + tx.sql("doctor_busy").one(row -> row.number("timeout"))
                  + " ms for another writer.");
          pages(tx, patient, findings);
          return true;
        });
  }

  private static void writable(Tx tx, Findings findings) {
    String file = tx.sql("doctor_file").one(row -> row.text("file"));
    Path path = Path.of(file);
    Path folder = path.toAbsolutePath().getParent();
    String wrong =
        isReadOnly(tx)
            ? "the connection was opened for reading only"
            : file.isEmpty()
                ? ""
                : !Files.isWritable(path)
                    ? "the file " + file + " is not writable for this process"
                    : folder != null && !Files.isWritable(folder)
                        ? "the folder " + folder + " is not writable, where SQLite keeps its log"
                        : "";
    if (wrong.isEmpty()) {
      findings.ok("read-only", "The file takes writes.");
    } else {
      findings.problem(
          "read-only",
          "Nothing can be written: " + wrong + ".",
          "Give the user of this process the right to write to the file and its folder.");
    }
  }

  private static boolean isReadOnly(Tx tx) {
    try {
      return tx.connection().isReadOnly();
    } catch (SQLException e) {
      DatabaseException failure = tx.failure("Asking whether the connection can write", e);
      throw failure;
    }
  }

  private static void journal(Tx tx, Findings findings) {
    String mode = tx.sql("doctor_journal").one(row -> row.text("journal_mode"));
    if (mode.equalsIgnoreCase("wal")) {
      findings.ok("journal-mode", "The journal mode is WAL.");
    } else {
      findings.warning(
          "journal-mode",
          "The journal mode is "
              + mode.toUpperCase(Locale.ROOT)
              + ", in which readers and the writer wait for each other.",
          "Waybill switches to WAL with its first write; if it does not stay so, find the program"
              + " that switches back, and run PRAGMA journal_mode = WAL.");
    }
  }

  private static void durability(Tx tx, Findings findings) {
    long level = tx.sql("doctor_synchronous").one(row -> row.number("synchronous"));
    String remedy = "Leave synchronous out of the URL, or say synchronous=FULL.";
    if (level == OFF) {
      findings.problem(
          "durability",
          "synchronous is OFF: when the machine fails, the file may be damaged.",
          remedy);
    } else if (level == NORMAL) {
      findings.note(
          "durability",
          "synchronous is NORMAL: when the machine fails, the last committed transactions may be"
              + " lost.",
          remedy);
    } else {
      findings.ok("durability", "What is committed survives a crash of the machine.");
    }
  }

  private static void pages(Tx tx, Patient patient, Findings findings) {
    Pages pages =
        tx.sql("doctor_pages")
            .one(row -> new Pages(row.number("pages"), row.number("free"), row.number("size")));
    long bytes = pages.all() * pages.bytesEach();
    if (bytes > patient.thresholds().bulkyFile() && pages.free() * 2 > pages.all()) {
      findings.note(
          "free-pages",
          "Of the file's "
              + Wording.megabytes(bytes)
              + ", "
              + Wording.megabytes(pages.free() * pages.bytesEach())
              + " are free.",
          "Run VACUUM while nothing else uses the file, if you want the space back; else it is"
              + " used again by what comes.");
    } else {
      findings.ok("free-pages", "The file has no more free pages than it needs.");
    }
  }
}
