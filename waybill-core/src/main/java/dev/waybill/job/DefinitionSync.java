package dev.waybill.job;

import java.util.List;

/**
 * What a synchronisation of definitions did.
 *
 * @param inserted types that are new
 * @param updated types of which something changed
 * @param disabled types that were enabled before
 * @param keptDisabled types that an operator has disabled and that stay so
 */
public record DefinitionSync(
    List<String> inserted, List<String> updated, List<String> disabled, List<String> keptDisabled) {
  public DefinitionSync {
    inserted = List.copyOf(inserted);
    updated = List.copyOf(updated);
    disabled = List.copyOf(disabled);
    keptDisabled = List.copyOf(keptDisabled);
  }
}
