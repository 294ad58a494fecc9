package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.sql.Dialect;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MigrationTest {
  /** Such a trigger is looked for in the connection's database, see {@link TriggerSchemaTest}. */
  private static final Pattern TRIGGER_WITHOUT_SCHEMA =
      Pattern.compile("(?i)\\btrigger\\s+(if\\s+(not\\s+)?exists\\s+)?waybill_");

  @Test
  void statementsEndAtSemicolons() {
    assertThat(Migration.split("a;\n\n b ; ;;\nc")).containsExactly("a", "b", "c");
    assertThat(Migration.split(" \n-- nothing; here\n/* nor; here */")).isEmpty();
  }

  @Test
  void semicolonsInQuotesAndCommentsEndNothing() {
    assertThat(Migration.split("insert into t values ('a;b', \"c;d\", `e;f`, 'it''s;'); b"))
        .containsExactly("insert into t values ('a;b', \"c;d\", `e;f`, 'it''s;')", "b");
    assertThat(Migration.split("a -- one; two\n b; c /* three; */ d"))
        .containsExactly("a  \n b", "c   d");
    assertThat(Migration.split("create function f() as $$ begin; end $$; do $x$ a; $$ b; $x$"))
        .containsExactly("create function f() as $$ begin; end $$", "do $x$ a; $$ b; $x$");
  }

  @Test
  void aBodyIsKeptTogether() {
    String trigger =
        """
        create trigger t before insert on x for each row
        begin
          declare n int default case when new.a = 1 then 2 else 3 end;
          if n = 2 then
            set new.b = 1;
          elseif n = 3 then
            begin
              set new.b = 2;
            end;
          end if;
          case n when 1 then set new.c = 1; else set new.c = 2; end case;
          while n > 0 do
            set n = n - 1;
          end while;
          l: loop leave l; end loop;
          repeat set n = n + 1; until n > 3 end repeat;
        end""";
    assertThat(Migration.split(trigger + ";\nalter table x;"))
        .containsExactly(trigger, "alter table x");
    assertThat(Migration.split("\n\nCREATE DEFINER = root TRIGGER t BEGIN a; END; b"))
        .containsExactly("CREATE DEFINER = root TRIGGER t BEGIN a; END", "b");
  }

  @Test
  void onlyABodyIsKeptTogether() {
    assertThat(
            Migration.split("select case when a then b end; begin; c; update t set x = begin; d"))
        .containsExactly(
            "select case when a then b end", "begin", "c", "update t set x = begin", "d");
    assertThat(Migration.split("create table t (a int default (case 1 when 1 then 2 end)); b"))
        .hasSize(2);
  }

  @Test
  void commentsAndWhiteSpaceDoNotCount() {
    String golden = checksum("create table t (a int, b text); insert into t values (1, 'x  y')");
    assertThat(golden)
        .isEqualTo(
            checksum(
                """
                -- A table.
                create   table t(
                  a int, -- the first
                  b text
                ) ;
                /* and */ insert into t
                values(1,'x  y');
                """));
    assertThat(golden)
        .isEqualTo("d7168ea2f26f6dc086b7a45c700d7c8d0561d21f8e979ede5100d13bccaef648");
  }

  @Test
  void everythingElseCounts() {
    String sum = checksum("insert into t values ('a', 1)");
    assertThat(sum)
        .isNotEqualTo(checksum("insert into t values ('A', 1)"))
        .isNotEqualTo(checksum("insert into t values (' a', 1)"))
        .isNotEqualTo(checksum("insert into t values ('a', 11)"))
        .isNotEqualTo(checksum("insert into tt values ('a', 1)"))
        .isNotEqualTo(checksum("insert into t values ('a', 1); select 1"));
    assertThat(checksum("select ab")).isNotEqualTo(checksum("select a b"));
    assertThat(checksum("a; b")).isNotEqualTo(checksum("a b"));
  }

  @Test
  void aFenceIsALineOfItsOwn() {
    assertThat(parse("-- fence: old releases write rubbish\nselect 1").fenced()).isTrue();
    assertThat(parse("-- no fence: all is well\nselect 1").fenced()).isFalse();
    assertThat(parse("-- fence:\nselect 1").fenced()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void theReleaseIsComplete(Dialect dialect) {
    Migrations release = Migrations.ofThisRelease(dialect);
    assertThat(release.first()).isEqualTo(1);
    assertThat(release.all()).allSatisfy(m -> assertThat(m.undo()).isNotEmpty());
    assertThat(release.all()).extracting(Migration::version).doesNotHaveDuplicates().isSorted();
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void everyTriggerIsNamedWithItsSchema(Dialect dialect) {
    assertThat(
            Stream.of(Migrations.ofThisRelease(dialect), TestSet.all(dialect))
                .flatMap(MigrationTest::statements))
        .noneMatch(TRIGGER_WITHOUT_SCHEMA.asPredicate());
    assertThat("create trigger waybill_t_tg").containsPattern(TRIGGER_WITHOUT_SCHEMA);
    assertThat("drop trigger if exists waybill_t_tg").containsPattern(TRIGGER_WITHOUT_SCHEMA);
  }

  private static Stream<String> statements(Migrations migrations) {
    return Stream.concat(
        migrations.all().stream()
            .flatMap(each -> Stream.concat(each.statements().stream(), each.undo().stream())),
        migrations.cutovers().stream().flatMap(each -> each.validate().stream()));
  }

  @Test
  void aBundleIsRefusedWhenItsNamesAreWrong() {
    assertThatThrownBy(() -> load("V1_guard")).hasMessageContaining("V1_guard");
    assertThatThrownBy(() -> load("V002__parcels", "V001__guard"))
        .hasMessageContaining("out of order");
    assertThatThrownBy(() -> load("V001__guard", "C005__require_requests"))
        .hasMessageContaining("No migration");
    assertThatThrownBy(() -> load("V007__nothing")).hasMessageContaining("No resource");
  }

  private static Migrations load(String... names) {
    return Migrations.load("/dev/waybill/testset/", Dialect.SQLITE, List.of(names));
  }

  private static Migration parse(String up) {
    return Migration.parse(1, "one", up, "");
  }

  private static String checksum(String up) {
    return parse(up).checksum();
  }
}
