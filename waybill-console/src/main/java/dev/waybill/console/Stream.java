package dev.waybill.console;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * Sends what the sampler finds to a browser, as server-sent events, until it goes. A browser that
 * is slow gets fewer: always the latest, never a queue of old ones.
 */
final class Stream {
  /** Each holds a thread. */
  private static final int MOST = 64;

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Sampler sampler;
  private final Semaphore places = new Semaphore(MOST);

  Stream(Sampler sampler) {
    this.sampler = sampler;
  }

  void serve(Answer answer, Optional<Sampler.Subject> subject, BooleanSupplier stillIn)
      throws IOException, InterruptedException {
    if (!places.tryAcquire()) {
      throw new Refusal(503, "too_many_streams", "Too many pages are open; close some.");
    }
    try (Sampler.Watch watch = sampler.watch(subject)) {
      try (OutputStream out = answer.events()) {
        send(out, "history", Doc.of("points", sampler.points()).json());
        long sent = 0;
        String lastDetail = "";
        while (true) {
          Optional<Sampler.Frame> frame = watch.next(sent, PATIENCE);
          if (watch.isOver() || !stillIn.getAsBoolean()) {
            return;
          }
          if (frame.isEmpty()) {
            out.write(": still here\n\n".getBytes(StandardCharsets.UTF_8));
            out.flush();
            continue;
          }
          sent = frame.get().number();
          send(out, "sample", frame.get().json());
          String detail =
              subject.map(each -> frame.get().subjects().getOrDefault(each, "")).orElse("");
          if (!detail.isEmpty() && !detail.equals(lastDetail)) {
            send(out, "subject", detail);
            lastDetail = detail;
          }
        }
      }
    } finally {
      places.release();
    }
  }

  private static void send(OutputStream out, String event, String json) throws IOException {
    out.write(("event: " + event + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
