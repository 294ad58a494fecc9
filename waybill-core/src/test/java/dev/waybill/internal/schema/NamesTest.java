package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import org.junit.jupiter.api.Test;

class NamesTest {
  private final Names postgres = new Names(Dialect.POSTGRES, new Naming("acme_", "o'k"));
  private final Names mysql = new Names(Dialect.MYSQL, new Naming("acme_", null));

  @Test
  void inCodeTheyAreQuotedAndQualified() {
    assertThat(postgres.in("select waybill_x from waybill_t -- waybill_t"))
        .isEqualTo("select \"o'k\".\"acme_x\" from \"o'k\".\"acme_t\" -- waybill_t");
    assertThat(mysql.in("drop table waybill_t")).isEqualTo("drop table `acme_t`");
  }

  @Test
  void inDollarQuotesToo() {
    assertThat(postgres.in("do $x$ insert into waybill_t values ('waybill_t', $$waybill_t$$) $x$"))
        .isEqualTo(
            "do $x$ insert into \"o'k\".\"acme_t\" values ('acme_t', $$\"o'k\".\"acme_t\"$$) $x$");
  }

  @Test
  void inLiteralsTheyAreBareOrOnRequestQualified() {
    assertThat(postgres.in("select 'waybill_t', 'not_waybill_t', '{waybill_t}', \"waybill_t\""))
        .isEqualTo("select 'acme_t', 'not_waybill_t', '\"o''k\".\"acme_t\"', \"waybill_t\"");
  }

  @Test
  void theSchemaItself() {
    assertThat(postgres.in("where s = '{schema}'")).isEqualTo("where s = 'o''k'");
    assertThat(postgres.in("drop index {schema}.waybill_t_ix"))
        .isEqualTo("drop index \"o'k\".\"acme_t_ix\"");
    assertThat(mysql.in("where s = '{schema}'")).isEqualTo("where s = schema()");
    assertThat(mysql.in("drop trigger {schema}.waybill_t_tg"))
        .isEqualTo("drop trigger `acme_t_tg`");
    assertThat(new Names(Dialect.POSTGRES, Naming.standard()).in("'{schema}'"))
        .isEqualTo("current_schema()");
  }
}
