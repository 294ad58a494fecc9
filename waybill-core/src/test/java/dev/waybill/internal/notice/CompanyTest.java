package dev.waybill.internal.notice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.ManualTime;
import org.junit.jupiter.api.Test;

class CompanyTest {
  private final ManualTime time = new ManualTime();
  private final Company company = new Company(time);

  @Test
  void whoeverListensIsNewOnce() {
    assertThat(company.isEmpty()).isTrue();
    assertThat(company.listens("a")).isTrue();
    assertThat(company.listens("a")).isFalse();
    assertThat(company.isEmpty()).isFalse();
  }

  @Test
  void whoeverLeavesIsGone() {
    company.listens("a");
    company.listens("b");
    company.left("a");
    assertThat(company.isEmpty()).isFalse();
    company.left("b");
    company.left("c");
    assertThat(company.isEmpty()).isTrue();
  }

  @Test
  void whoeverDiesWithoutAWordIsForgottenInTheEnd() {
    company.listens("a");
    time.advance(Company.REFRESH.multipliedBy(2));
    company.listens("b");
    time.advance(Company.REFRESH.multipliedBy(2));
    assertThat(company.isEmpty()).isFalse();
    assertThat(company.listens("a")).isTrue();
    time.advance(Company.REFRESH.multipliedBy(4));
    assertThat(company.isEmpty()).isTrue();
  }
}
