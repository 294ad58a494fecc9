package dev.waybill;

import dev.waybill.internal.Pipeline;
import dev.waybill.job.Jobs;
import dev.waybill.job.JobsBuilder;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.outbox.OutboxConfig;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.spi.JobListener;
import dev.waybill.spi.OutboxListener;
import dev.waybill.workflow.Workflows;
import dev.waybill.workflow.WorkflowsBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Waybill, running. Build it once per process, close it when the process ends.
 *
 * <p>{@code close} is bounded: no work is begun, work in progress may end within the grace period,
 * is then interrupted, and what it held is handed back at once.
 */
public final class Waybill implements AutoCloseable {
  private final Pipeline pipeline;
  private final DataSource dataSource;
  private final SchemaOptions schema;

  private Waybill(Pipeline pipeline, DataSource dataSource, SchemaOptions schema) {
    this.pipeline = pipeline;
    this.dataSource = dataSource;
    this.schema = schema;
  }

  /** Builds Waybill on the service's own database. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(Objects.requireNonNull(dataSource, "dataSource"));
  }

  /** The outbox. */
  public Outbox outbox() {
    return pipeline.outbox();
  }

  /**
   * The jobs.
   *
   * @throws IllegalStateException if none were set up when Waybill was built
   */
  public Jobs jobs() {
    return pipeline
        .jobs()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "No jobs were set up: call jobs(…) on Waybill's builder first."));
  }

  /**
   * The workflows.
   *
   * @throws IllegalStateException if none were set up when Waybill was built
   */
  public Workflows workflows() {
    return pipeline
        .workflows()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "No workflows were set up: call workflows(…) on Waybill's builder first."));
  }

  /** Whether the workers of this process get on. */
  public Health health() {
    return pipeline.health();
  }

  /** What the schema guard knows about the tables that this Waybill uses. */
  public SchemaStatus schemaStatus() {
    return Schema.status(dataSource, schema);
  }

  @Override
  public void close() {
    pipeline.close();
  }

  /** What Waybill is to be. */
  public static final class Builder {
    private final DataSource dataSource;
    private final OutboxBuilder outbox = new OutboxBuilder();
    private final List<OutboxListener> listeners = new ArrayList<>();
    private final List<JobListener> jobListeners = new ArrayList<>();
    private Optional<JobsBuilder> jobs = Optional.empty();
    private Optional<WorkflowsBuilder> workflows = Optional.empty();
    private SchemaOptions schema = SchemaOptions.defaults();
    private Duration stopGrace = Duration.ofSeconds(10);

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /** Where its tables are and what they are called. Default: {@link SchemaOptions#defaults}. */
    public Builder schema(SchemaOptions value) {
      schema = Objects.requireNonNull(value, "schema");
      return this;
    }

    /** Sets the outbox up. */
    public Builder outbox(Consumer<OutboxBuilder> setup) {
      setup.accept(outbox);
      return this;
    }

    /** Sets jobs up. */
    public Builder jobs(Consumer<JobsBuilder> setup) {
      JobsBuilder builder = jobs.orElseGet(JobsBuilder::new);
      jobs = Optional.of(builder);
      setup.accept(builder);
      return this;
    }

    /** Sets workflows up, and jobs with them: a step is a job. */
    public Builder workflows(Consumer<WorkflowsBuilder> setup) {
      WorkflowsBuilder builder = workflows.orElseGet(WorkflowsBuilder::new);
      workflows = Optional.of(builder);
      setup.accept(builder);
      return this;
    }

    /** Hears what the outbox does. */
    public Builder listener(OutboxListener value) {
      listeners.add(Objects.requireNonNull(value, "listener"));
      return this;
    }

    /** Hears what becomes of jobs, also of those that are steps. */
    public Builder listener(JobListener value) {
      jobListeners.add(Objects.requireNonNull(value, "listener"));
      return this;
    }

    /** How long {@code close} waits for work in progress before it interrupts. Default: 10 s. */
    public Builder stopGrace(Duration value) {
      if (value.isNegative()) {
        throw new IllegalArgumentException("The grace period must not be negative: " + value);
      }
      stopGrace = value;
      return this;
    }

    /**
     * Checks the schema, registers the queues and starts the workers.
     *
     * @throws dev.waybill.schema.SchemaIncompatibleException if this release must not run here
     * @throws dev.waybill.outbox.OutboxException if something was set up wrongly
     */
    public Waybill start() {
      OutboxConfig config = outbox.build();
      return new Waybill(
          Pipeline.start(
              dataSource,
              schema,
              config,
              jobs.map(JobsBuilder::build),
              workflows.map(WorkflowsBuilder::build),
              listeners,
              jobListeners,
              stopGrace),
          dataSource,
          schema);
    }
  }
}
