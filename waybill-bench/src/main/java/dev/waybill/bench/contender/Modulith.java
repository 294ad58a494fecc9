package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring Modulith's event publication registry over JDBC: one event with one module listener per
 * message, on eight threads, completed publications deleted. It has no poller: a backlog is
 * delivered by republishing at start, which is how its manual recovers.
 */
final class Modulith implements Contender {
  private static final Map<String, Object> TUNED =
      Map.of(
          "spring.modulith.events.jdbc.schema-initialization.enabled", "true",
          "spring.modulith.events.completion-mode", "delete",
          "spring.modulith.events.republish-outstanding-events-on-restart", "true",
          "bench.listening", "true");
  private static final Map<String, Object> NOT_LISTENING =
      Map.of(
          "spring.modulith.events.jdbc.schema-initialization.enabled", "true",
          "bench.listening", "false");

  private @Nullable Stage stage;
  private @Nullable ConfigurableApplicationContext context;

  @Override
  public void prepare(Stage on) {
    SpringApplications.withoutNamastack(Application.class, on.pool(), NOT_LISTENING).close();
  }

  @Override
  public void open(Stage on) {
    stage = on;
    context = SpringApplications.withoutNamastack(Application.class, on.pool(), NOT_LISTENING);
  }

  @Override
  public void start(Receiver receiver) {
    Given.here(context).close();
    JobReceiver.to(receiver);
    context =
        SpringApplications.withoutNamastack(Application.class, Given.here(stage).pool(), TUNED);
  }

  @Override
  public void send(Business business, List<Parcel> parcels) {
    ConfigurableApplicationContext here = Given.here(context);
    DataSource dataSource = here.getBean(DataSource.class);
    here.getBean(TransactionTemplate.class)
        .executeWithoutResult(
            status -> {
              Joined.doIn(business, dataSource);
              parcels.forEach(parcel -> here.publishEvent(new Letter(parcel.text())));
            });
  }

  @Override
  public void stop() {
    Given.here(context).close();
  }

  /** The application. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableAsync
  public static class Application {
    @Bean
    Delivery delivery() {
      return new Delivery();
    }

    @Bean
    Executor taskExecutor(Environment environment) {
      if (!environment.getProperty("bench.listening", Boolean.class, true)) {
        // Leaves the publication in its table, as a crash right after the commit would.
        return task -> {};
      }
      ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
      executor.setCorePoolSize(8);
      executor.initialize();
      return executor;
    }
  }

  /**
   * An event.
   *
   * @param text of the message
   */
  public record Letter(String text) {}

  /** The listener. */
  public static class Delivery {
    /** Handles one event. */
    @ApplicationModuleListener
    public void on(Letter letter) {
      JobReceiver.receive(letter.text());
    }
  }
}
