package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.workflow.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionsTest {
  private static final String OUTPUT =
      "{\"a\":{\"b\":[1,2.50,\"x\"]},\"t\":true,\"z\":null,\"m~n\":1,\"s/l\":2,\"o\":{\"q\":1,\"p\":2}}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/a/b/1|EQUAL|2.5|true",
        "/a/b/1|EQUAL|2.51|false",
        "/a/b/1|NOT_EQUAL|2.5|false",
        "/a/b/2|EQUAL|\"x\"|true",
        "/a/b/2|LESS|\"y\"|true",
        "/a/b/2|LESS|7|false",
        "/a/b/0|GREATER|0.5|true",
        "/a/b/0|GREATER|1|false",
        "/a/b/3|EQUAL|1|false",
        "/a/b/01|EQUAL|2.5|false",
        "/a/b/-|EQUAL|1|false",
        "/t|EQUAL|true|true",
        "/z|EQUAL|null|true",
        "/m~0n|EQUAL|1|true",
        "/s~1l|EQUAL|2|true",
        "/o|EQUAL|{\"p\":2.0,\"q\":1}|true",
        "/nothing|EQUAL|null|false",
        "/nothing|NOT_EQUAL|1|true",
      })
  void comparesByValue(String pointer, Condition.Test test, String value, boolean satisfied) {
    Condition condition = new Condition(pointer, test, value);
    assertThat(Conditions.isSatisfied(condition, OUTPUT)).isEqualTo(satisfied);
    Condition stored = Conditions.read(Conditions.write(condition));
    assertThat(Conditions.isSatisfied(stored, OUTPUT)).isEqualTo(satisfied);
  }

  @Test
  void presenceAndAbsence() {
    assertThat(Conditions.isSatisfied(Condition.at("/z").isPresent(), OUTPUT)).isTrue();
    assertThat(Conditions.isSatisfied(Condition.at("/y").isPresent(), OUTPUT)).isFalse();
    assertThat(Conditions.isSatisfied(Condition.at("/y").isAbsent(), OUTPUT)).isTrue();
    assertThat(Conditions.isSatisfied(Condition.at("").is("7"), "7.0")).isTrue();
  }

  @Test
  void withoutAnOutputOnlyAbsenceIsSatisfied() {
    assertThat(Conditions.isSatisfied(Condition.at("").isPresent(), null)).isFalse();
    assertThat(Conditions.isSatisfied(Condition.at("/a").isAbsent(), null)).isTrue();
    assertThat(Conditions.isSatisfied(null, null)).isTrue();
  }

  @Test
  void whatCannotBeComparedIsRefused() {
    assertThat(Conditions.complaintAbout(Condition.at("/a").isLessThan("[]"))).isNotNull();
    assertThat(Conditions.complaintAbout(Condition.at("/a").is("{"))).isNotNull();
    assertThat(Conditions.complaintAbout(Condition.at("/a").isPresent())).isNull();
  }
}
