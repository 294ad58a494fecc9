package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.schema.Inventory.Index;
import dev.waybill.internal.sql.Dialect;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That all of it is in the database after migrating is shown by {@code DoctorTest}. */
class InventoryTest {
  private static final Pattern CREATE_TABLE = Pattern.compile("(?i)create table");

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void everyTableOfTheMigrationsIsFoundAndTheHistory(Dialect dialect) {
    Inventory all = Inventory.ofThisRelease(dialect, version -> true);
    long created =
        Migrations.ofThisRelease(dialect).all().stream()
            .flatMap(migration -> migration.statements().stream())
            .filter(statement -> CREATE_TABLE.matcher(statement).lookingAt())
            .count();
    assertThat(all.tables())
        .hasSize((int) created + 1)
        .contains("waybill_schema_history", "waybill_outbox_body", "waybill_workflow_change");
    assertThat(all.indexes())
        .contains(
            new Index("waybill_outbox_dead_letters", "waybill_outbox_dead_letters_list_ix"),
            new Index("waybill_outbox_queues", "waybill_outbox_queues_name_uq"),
            new Index("waybill_job", "waybill_job_pending_ix"));
    assertThat(all.tables()).containsAll(all.indexes().stream().map(Index::table).toList());
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whatWasNotAppliedIsNotExpected(Dialect dialect) {
    Inventory nothing = Inventory.ofThisRelease(dialect, version -> false);
    assertThat(nothing.tables()).isEmpty();
    Inventory first = Inventory.ofThisRelease(dialect, version -> version == 1);
    assertThat(first.tables())
        .containsExactlyInAnyOrder(
            "waybill_schema_history", "waybill_schema_fence", "waybill_schema_cutover");
  }

  @Test
  void keysHaveTheNamesThatTheDatabaseKnowsThemBy() {
    assertThat(Inventory.ofThisRelease(Dialect.POSTGRES, version -> true).indexes())
        .contains(new Index("waybill_job", "waybill_job_pk"));
    assertThat(Inventory.ofThisRelease(Dialect.MYSQL, version -> true).indexes())
        .contains(new Index("waybill_job", "PRIMARY"))
        .noneMatch(index -> index.name().endsWith("_pk"));
    assertThat(Inventory.ofThisRelease(Dialect.POSTGRES, version -> true).sequences())
        .containsEntry("waybill_outbox_message_sq", 1L)
        .containsEntry("waybill_outbox_slots_sq", 1L);
  }
}
