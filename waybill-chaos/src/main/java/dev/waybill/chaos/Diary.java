package dev.waybill.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a process has seen, in a file that outlives it. A line is handed to the system at once. */
final class Diary {
  private final OutputStream file;

  Diary(Path path) throws IOException {
    file = Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** A message was given under a lease; said before it is answered for. */
  void given(int partition, long seq, long epoch, String note) {
    write("given " + partition + " " + seq + " " + epoch + " " + note);
  }

  /** That the messages up to this one are done is stored. */
  void stored(int partition, long seq, long epoch) {
    // The same for all processes of a machine, and right where the wall clock is not.
    write("stored " + partition + " " + seq + " " + epoch + " " + System.nanoTime());
  }

  void leaseLost(int partition, long epoch) {
    write("lost " + partition + " " + epoch);
  }

  /** A message came before an earlier one of its key. */
  void disorder(String what) {
    write("disorder " + what.replace(' ', '_'));
  }

  /** A transaction with so many messages was rolled back on purpose. */
  void rolledBack(int messages) {
    write("rolledback " + messages);
  }

  private synchronized void write(String line) {
    try {
      file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
