package dev.waybill.job;

import dev.waybill.job.JobException.InvalidRequest;
import java.util.Objects;

/**
 * Whose jobs are meant. It means the same in every call: {@link Global} is jobs without a tenant,
 * {@link Tenant} those of one, {@link Admin} all of them. A job itself is never in the admin scope.
 */
public sealed interface Scope {
  /** The longest name of a tenant, in bytes of UTF-8. */
  int LONGEST_TENANT = 255;

  /** Jobs that belong to no tenant. */
  record Global() implements Scope {}

  /**
   * The jobs of one tenant.
   *
   * @param id who it is
   */
  record Tenant(String id) implements Scope {
    public Tenant {
      Objects.requireNonNull(id, "id");
      if (id.isEmpty()) {
        throw new InvalidRequest(
            "tenant", "must not be empty (jobs without a tenant are in Scope.global())");
      }
      String complaint = JobNames.complaintAbout(id, LONGEST_TENANT);
      if (complaint != null) {
        throw new InvalidRequest("tenant", complaint);
      }
    }
  }

  /** Every job; for reading and for operators. */
  record Admin() implements Scope {}

  /** Jobs that belong to no tenant. */
  static Scope global() {
    return new Global();
  }

  /** The jobs of one tenant. */
  static Scope tenant(String id) {
    return new Tenant(id);
  }

  /** Every job. */
  static Scope admin() {
    return new Admin();
  }
}
