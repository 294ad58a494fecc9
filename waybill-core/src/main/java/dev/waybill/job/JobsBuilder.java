package dev.waybill.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Says which jobs a process defines and runs. {@code Waybill.builder} gives you one. */
public final class JobsBuilder {
  private final List<JobDefinition> definitions = new ArrayList<>();
  private final Map<String, JobHandler> handlers = new TreeMap<>();
  private UnaryOperator<JobOptions> options = UnaryOperator.identity();

  /** Without any jobs. */
  public JobsBuilder() {}

  /** Changes the options, which begin with {@link JobOptions#of}. */
  public JobsBuilder options(UnaryOperator<JobOptions> change) {
    options = change;
    return this;
  }

  /** Defines a type that another process runs. */
  public JobsBuilder define(JobDefinition definition) {
    definitions.add(definition);
    return this;
  }

  /** Defines a type that this process runs. */
  public JobsBuilder define(JobDefinition definition, JobHandler handler) {
    definitions.add(definition);
    handlers.put(definition.type(), handler);
    return this;
  }

  /** What was said. */
  public JobsConfig build() {
    return new JobsConfig(definitions, handlers, options);
  }
}
