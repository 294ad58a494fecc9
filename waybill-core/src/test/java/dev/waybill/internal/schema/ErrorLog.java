package dev.waybill.internal.schema;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The errors that a logger is told while this is open; they are expected and not shown. */
final class ErrorLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger logger;
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

  ErrorLog(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    logger.setAdditive(false);
    logger.addAppender(this);
    start();
  }

  List<String> errors() {
    return events.stream()
        .filter(event -> event.getLevel() == Level.ERROR)
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
    stop();
  }
}
