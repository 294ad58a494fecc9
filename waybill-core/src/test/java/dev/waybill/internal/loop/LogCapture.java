package dev.waybill.internal.loop;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What one logger says while this is open. */
final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger logger;
  private final Level levelBefore;
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

  LogCapture(Class<?> source) {
    logger = (Logger) LoggerFactory.getLogger(source);
    levelBefore = logger.getLevel();
    logger.setLevel(Level.TRACE);
    logger.setAdditive(false);
    logger.addAppender(this);
    start();
  }

  Logger logger() {
    return logger;
  }

  List<ILoggingEvent> events() {
    return events;
  }

  List<String> linesAt(Level level) {
    return events.stream()
        .filter(event -> event.getLevel() == level)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  protected void append(ILoggingEvent event) {
    events.add(event);
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setAdditive(true);
    logger.setLevel(levelBefore);
    stop();
  }
}
