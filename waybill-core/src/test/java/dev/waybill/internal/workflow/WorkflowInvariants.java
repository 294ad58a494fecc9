package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is true of all runs between any two transactions. */
final class WorkflowInvariants {
  private static final Map<String, String> BROKEN_BY = new LinkedHashMap<>();

  static {
    BROKEN_BY.put(
        "a run counts its steps and edges",
        "waybill_workflow w where"
            + " w.step_count <> (select count(*) from waybill_workflow_step s where s.workflow_id = w.id)"
            + " or w.open_steps <> (select count(*) from waybill_workflow_step s where s.workflow_id = w.id and s.status < 3)"
            + " or w.active_steps <> (select count(*) from waybill_workflow_step s where s.workflow_id = w.id and s.status = 1)"
            + " or w.edge_count <> (select count(*) from waybill_workflow_edge e where e.workflow_id = w.id)");
    BROKEN_BY.put(
        "a run that nobody canceled counts what failed",
        "waybill_workflow w where w.status <> 4 and w.failed_steps <> (select count(*) from"
            + " waybill_workflow_step s where s.workflow_id = w.id and s.status in (4, 5) and s.may_fail = 0)");
    BROKEN_BY.put(
        "a run's status follows from its counts",
        "waybill_workflow w where"
            + " (w.status = 0 and (w.open_steps = 0 or w.active_steps = 0))"
            + " or (w.status = 1 and (w.open_steps = 0 or w.active_steps > 0))"
            + " or (w.status = 2 and (w.open_steps > 0 or w.failed_steps > 0))"
            + " or (w.status = 3 and (w.open_steps > 0 or w.failed_steps = 0))"
            + " or (w.status = 4 and w.open_steps > 0)");
    BROKEN_BY.put(
        "a run has an end if and only if it has ended, and then no active key for good",
        "waybill_workflow w where (w.status < 2 and w.finished_at is not null)"
            + " or (w.status >= 2 and w.finished_at is null)"
            + " or (w.status >= 2 and w.active_hash is not null and w.active_until is null)");
    BROKEN_BY.put(
        "a released step is a job that has not ended",
        "waybill_workflow_step s where s.kind = 0 and s.status = 1 and not exists"
            + " (select 1 from waybill_job j where j.id = s.id and j.status < 3)");
    BROKEN_BY.put(
        "a step's job that has not ended is a released step",
        "waybill_job j where j.workflow_id is not null and j.status < 3 and not exists"
            + " (select 1 from waybill_workflow_step s where s.id = j.id and s.kind = 0 and s.status = 1)");
    BROKEN_BY.put(
        "a step waits only while it has to, and counts what it waits for",
        "waybill_workflow_step s where s.status = 0 and (s.satisfied >= s.needed or s.pending <>"
            + " (select count(*) from waybill_workflow_edge e join waybill_workflow_step p on p.id = e.prerequisite_id"
            + " where e.workflow_id = s.workflow_id and e.dependent_id = s.id and p.status < 3) or s.pending = 0)");
    BROKEN_BY.put(
        "a map step counts its elements",
        "waybill_workflow_step s where s.kind = 3 and s.status = 1 and (s.pending = 0 or s.pending <>"
            + " (select count(*) from waybill_workflow_step e where e.workflow_id = s.workflow_id and e.parent_id = s.id and e.status < 3))");
    BROKEN_BY.put(
        "only what is open has a timer",
        "waybill_workflow_step s where (s.wake_at is not null and s.status not in (1, 2))"
            + " or (s.kind = 2 and s.status = 1 and s.wake_at is null)");
    BROKEN_BY.put(
        "a gate waits since a moment if and only if it waits",
        "waybill_workflow_step s where (s.gate_since is not null and not (s.kind = 1 and s.status = 2))"
            + " or (s.kind = 1 and s.status = 2 and s.gate_since is null)");
    BROKEN_BY.put(
        "a step that started a run waits for it, or is owed its end",
        "waybill_workflow_step s where s.kind = 4 and s.status = 1 and not exists"
            + " (select 1 from waybill_workflow c join waybill_workflow w on w.id = c.parent_id"
            + " where c.parent_id = s.workflow_id and c.parent_step = s.step_key and (c.status < 2 or c.tell_at is not null))");
  }

  private WorkflowInvariants() {}

  static void hold(TestDatabase home) throws SQLException {
    try (Connection connection = home.connect();
        Statement statement = connection.createStatement()) {
      hold(statement);
    }
  }

  static void hold(Statement statement) throws SQLException {
    for (Map.Entry<String, String> each : BROKEN_BY.entrySet()) {
      try (ResultSet result = statement.executeQuery("select count(*) from " + each.getValue())) {
        result.next();
        assertThat(result.getLong(1)).as("not so: " + each.getKey()).isZero();
      }
    }
  }
}
