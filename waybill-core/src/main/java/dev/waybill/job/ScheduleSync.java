package dev.waybill.job;

import java.util.List;

/**
 * What a synchronisation of schedules did.
 *
 * @param inserted names that are new
 * @param updated names of which something changed
 * @param paused names that were active and are not wanted any more
 */
public record ScheduleSync(List<String> inserted, List<String> updated, List<String> paused) {
  public ScheduleSync {
    inserted = List.copyOf(inserted);
    updated = List.copyOf(updated);
    paused = List.copyOf(paused);
  }
}
