package dev.waybill.bench.contender;

import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Small Spring applications for the contenders that live in one. */
final class SpringApplications {
  private static final String NAMASTACK =
      Stream.of("Infrastructure", "Threading", "Processing", "Scheduling", "Multicaster")
              .map(each -> "io.namastack.outbox.config.OutboxCore" + each + "AutoConfiguration,")
              .reduce("", String::concat)
          + "io.namastack.outbox.config.JdbcOutboxAutoConfiguration,"
          + "io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration,"
          + "io.namastack.outbox.OutboxJacksonAutoConfiguration";
  private static final String MODULITH =
      "org.springframework.modulith.events.config.EventPublicationAutoConfiguration,"
          + "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration,"
          + "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration";

  private SpringApplications() {}

  static ConfigurableApplicationContext withoutModulith(
      Class<?> application, DataSource pool, Map<String, Object> settings) {
    return run(application, pool, MODULITH, settings);
  }

  static ConfigurableApplicationContext withoutNamastack(
      Class<?> application, DataSource pool, Map<String, Object> settings) {
    return run(application, pool, NAMASTACK, settings);
  }

  private static ConfigurableApplicationContext run(
      Class<?> application, DataSource pool, String excluded, Map<String, Object> settings) {
    return new SpringApplicationBuilder(application)
        .web(WebApplicationType.NONE)
        .bannerMode(org.springframework.boot.Banner.Mode.OFF)
        .logStartupInfo(false)
        .registerShutdownHook(false)
        .properties(settings)
        .properties(Map.of("spring.autoconfigure.exclude", excluded))
        .properties(Map.of("spring.jmx.enabled", "false"))
        .initializers(
            context ->
                ((GenericApplicationContext) context)
                    .registerBean(
                        "dataSource",
                        DataSource.class,
                        () -> pool,
                        // It is ours to close.
                        bean -> bean.setDestroyMethodName("")))
        .run();
  }
}
