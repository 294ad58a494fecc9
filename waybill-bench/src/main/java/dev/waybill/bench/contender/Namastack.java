package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * namastack-outbox in a Spring Boot application: polls every 20 ms for up to a hundred keys,
 * handles them on sixteen threads and deletes what is done, along the lines of the tuned profile in
 * its documentation.
 */
final class Namastack implements Contender {
  private static final Map<String, Object> TUNED =
      Map.of(
          "namastack.outbox.polling.trigger", "fixed",
          "namastack.outbox.polling.fixed.interval", "20ms",
          "namastack.outbox.polling.batch-size", "100",
          "namastack.outbox.processing.delete-completed-records", "true",
          "namastack.outbox.processing.publish-after-save", "false",
          "namastack.outbox.processing.executor-core-pool-size", "16",
          "namastack.outbox.processing.executor-max-pool-size", "16",
          "namastack.outbox.processing.shutdown-timeout", "5s");
  private static final Map<String, Object> NEVER_POLLING =
      Map.of("namastack.outbox.polling.fixed.interval", "1h");

  private @Nullable Stage stage;
  private @Nullable ConfigurableApplicationContext context;

  @Override
  public void prepare(Stage on) {
    SpringApplications.withoutModulith(Application.class, on.pool(), NEVER_POLLING).close();
  }

  @Override
  public void open(Stage on) {
    stage = on;
    context = SpringApplications.withoutModulith(Application.class, on.pool(), NEVER_POLLING);
  }

  @Override
  public void start(Receiver receiver) {
    Given.here(context).close();
    JobReceiver.to(receiver);
    context =
        SpringApplications.withoutModulith(Application.class, Given.here(stage).pool(), TUNED);
  }

  @Override
  public void send(Business business, List<Parcel> parcels) {
    ConfigurableApplicationContext here = Given.here(context);
    Outbox outbox = here.getBean(Outbox.class);
    DataSource dataSource = here.getBean(DataSource.class);
    here.getBean(TransactionTemplate.class)
        .executeWithoutResult(
            status -> {
              Joined.doIn(business, dataSource);
              for (Parcel parcel : parcels) {
                outbox.schedule(new Letter(parcel.text()), "key-" + parcel.key());
              }
            });
  }

  @Override
  public void stop() {
    Given.here(context).close();
  }

  /** The application. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  public static class Application {
    @Bean
    OutboxTypedHandler<Letter> delivery() {
      return new Delivery();
    }
  }

  /**
   * A payload.
   *
   * @param text of the message
   */
  public record Letter(String text) {}

  /** The handler, a class of its own because its type argument is looked up. */
  public static final class Delivery implements OutboxTypedHandler<Letter> {
    @Override
    public void handle(Letter payload, OutboxRecordMetadata metadata) {
      JobReceiver.receive(payload.text());
    }
  }
}
