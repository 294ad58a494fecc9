package dev.waybill.internal.job;

import dev.waybill.ReferenceTable;
import dev.waybill.job.JobRequest;
import org.junit.jupiter.api.Test;

/** The table of the reference's tests names only tests that there are. */
class ReferenceTestsTest {
  @Test
  void ourTestsExist() {
    ReferenceTable.check(
        "/dev/waybill/internal/job/reference-tests.txt",
        100,
        ReferenceTestsTest.class.getPackageName(),
        JobRequest.class.getPackageName());
  }
}
