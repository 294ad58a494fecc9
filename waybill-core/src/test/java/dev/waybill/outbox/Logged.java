package dev.waybill.outbox;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What a logger is told while this is open: expected, so not shown. */
public final class Logged extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger logger;
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

  /** Of this logger and those below it. */
  public Logged(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    logger.setAdditive(false);
    logger.setLevel(Level.DEBUG);
    logger.addAppender(this);
    start();
  }

  /** What an operator would see. */
  public List<String> warnings() {
    return events.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** How many lines of any level have this in them. */
  public long count(String part) {
    return events.stream().filter(event -> event.getFormattedMessage().contains(part)).count();
  }

  @Override
  protected void append(ILoggingEvent event) {
    events.add(event);
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setAdditive(true);
    logger.setLevel(null);
    stop();
  }
}
