package dev.waybill.cli.demo;

import dev.waybill.outbox.OutboxMessage;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The world outside the database: a file to which every delivery is appended, by whichever process
 * makes it. A line is {@code partition seq order}.
 */
final class Shipments implements AutoCloseable {
  /** Not a channel: an interrupt, by which a slow handler is asked to stop, would close that. */
  private final OutputStream file;

  Shipments(Path path) throws IOException {
    this.file = new FileOutputStream(path.toFile(), true);
  }

  void ship(OutboxMessage message) {
    String line =
        message.partition() + " " + message.seq() + " " + message.text().split(" ", 2)[0] + "\n";
    try {
      // One write, so lines of two processes do not mix.
      file.write(line.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException("The shipment cannot be noted", e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** A delivery. */
  record Shipment(int partition, long seq, String order) {}

  static List<Shipment> read(Path path) throws IOException {
    List<Shipment> all = new ArrayList<>();
    for (String line : Files.readAllLines(path, StandardCharsets.US_ASCII)) {
      String[] words = line.split(" ", -1);
      if (words.length == 3) {
        all.add(new Shipment(Integer.parseInt(words[0]), Long.parseLong(words[1]), words[2]));
      }
    }
    return all;
  }
}
