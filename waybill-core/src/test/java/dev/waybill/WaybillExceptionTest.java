package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaybillExceptionTest {
  @Test
  void keepsItsCause() {
    var cause = new IllegalStateException("underneath");
    assertThat(new WaybillException("on top", cause)).hasMessage("on top").hasCause(cause);
  }
}
