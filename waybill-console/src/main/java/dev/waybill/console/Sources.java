package dev.waybill.console;

import dev.waybill.Waybill;
import dev.waybill.job.Jobs;
import dev.waybill.outbox.Outbox;
import dev.waybill.workflow.Workflows;
import java.util.Optional;
import java.util.function.Supplier;

/** The doors that a Waybill has, as far as they were set up. */
record Sources(Waybill waybill, Outbox outbox, Optional<Jobs> jobs, Optional<Workflows> workflows) {

  static Sources of(Waybill waybill) {
    return new Sources(
        waybill, waybill.outbox(), ifSetUp(waybill::jobs), ifSetUp(waybill::workflows));
  }

  private static <T> Optional<T> ifSetUp(Supplier<T> door) {
    try {
      return Optional.of(door.get());
    } catch (IllegalStateException notSetUp) {
      return Optional.empty();
    }
  }

  Jobs jobsOrRefuse() {
    return jobs.orElseThrow(
        () -> new Refusal(404, "jobs.not_set_up", "This process has no jobs set up."));
  }

  Workflows workflowsOrRefuse() {
    return workflows.orElseThrow(
        () -> new Refusal(404, "workflows.not_set_up", "This process has no workflows set up."));
  }
}
