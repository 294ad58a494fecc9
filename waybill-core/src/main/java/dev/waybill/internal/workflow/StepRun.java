package dev.waybill.internal.workflow;

import dev.waybill.internal.job.StepAttempt;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowReadStore;
import dev.waybill.internal.store.WorkflowReadStore.Input;
import dev.waybill.job.JobContext;
import dev.waybill.job.Scope;
import dev.waybill.workflow.StepContext;
import dev.waybill.workflow.WorkflowException.InvalidState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a step's handler sees: its attempt, and what is around the step. */
final class StepRun implements StepContext {
  private final Database database;
  private final JobContext job;
  private final UUID workflow;
  private final String step;
  private volatile @Nullable String workflowInput;

  StepRun(Database database, JobContext job) {
    this.database = database;
    this.job = job;
    UUID run = job instanceof StepAttempt attempt ? attempt.workflow() : null;
    String key = job instanceof StepAttempt attempt ? attempt.step() : null;
    if (run == null || key == null) {
      throw new InvalidState(
          "workflow.not_a_step",
          "Job "
              + job.id()
              + " of type "
              + job.type()
              + " is no step of a workflow,"
              + " but its handler expects one.");
    }
    this.workflow = run;
    this.step = key;
  }

  private <T> T read(Function<Tx, T> statement) {
    try (Session session = database.session()) {
      return session.glance(statement);
    }
  }

  @Override
  public UUID workflow() {
    return workflow;
  }

  @Override
  public String step() {
    return step;
  }

  /** Read when it is asked for: it may be large, and a run may have thousands of steps. */
  @Override
  public String workflowInput() {
    String input = workflowInput;
    if (input == null) {
      input = read(tx -> WorkflowReadStore.in(tx).runInput(workflow));
      workflowInput = input;
    }
    return input;
  }

  @Override
  public Optional<String> input(String step) {
    return read(tx -> WorkflowReadStore.in(tx).input(job.id(), step))
        .filter(input -> input.state() == StepState.SUCCEEDED)
        .map(Input::output);
  }

  @Override
  public Map<String, String> inputs() {
    Map<String, String> outputs = new LinkedHashMap<>();
    for (Input input : read(tx -> WorkflowReadStore.in(tx).inputs(job.id()))) {
      String output = input.output();
      if (input.state() == StepState.SUCCEEDED && output != null) {
        outputs.put(input.key(), output);
      }
    }
    return outputs;
  }

  @Override
  public UUID id() {
    return job.id();
  }

  @Override
  public String type() {
    return job.type();
  }

  @Override
  public Scope scope() {
    return job.scope();
  }

  @Override
  public int run() {
    return job.run();
  }

  @Override
  public int attempt() {
    return job.attempt();
  }

  @Override
  public int maxAttempts() {
    return job.maxAttempts();
  }

  @Override
  public long leaseEpoch() {
    return job.leaseEpoch();
  }

  @Override
  public String payload() {
    return job.payload();
  }

  @Override
  public @Nullable String checkpoint() {
    return job.checkpoint();
  }

  @Override
  public Duration remaining() {
    return job.remaining();
  }

  @Override
  public boolean isCanceled() {
    return job.isCanceled();
  }

  @Override
  public @Nullable String cancelReason() {
    return job.cancelReason();
  }

  @Override
  public void onCancel(Runnable action) {
    job.onCancel(action);
  }

  @Override
  public void progress(@Nullable Long done, @Nullable Long total) {
    job.progress(done, total);
  }

  @Override
  public void checkpoint(String json) {
    job.checkpoint(json);
  }

  @Override
  public void log(Level level, String message) {
    job.log(level, message);
  }
}
