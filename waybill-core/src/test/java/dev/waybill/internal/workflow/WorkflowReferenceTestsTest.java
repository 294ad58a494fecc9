package dev.waybill.internal.workflow;

import dev.waybill.ReferenceTable;
import dev.waybill.workflow.Workflow;
import org.junit.jupiter.api.Test;

/** The table of the reference's tests names only tests that there are. */
class WorkflowReferenceTestsTest {
  @Test
  void ourTestsExist() {
    ReferenceTable.check(
        "/dev/waybill/internal/workflow/reference-tests.txt",
        150,
        WorkflowReferenceTestsTest.class.getPackageName(),
        Workflow.class.getPackageName());
  }
}
