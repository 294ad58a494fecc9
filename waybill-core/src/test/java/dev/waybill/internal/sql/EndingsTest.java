package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.sql.Endings.Companion;
import dev.waybill.internal.sql.Endings.Ending;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndingsTest {
  private static class Noting implements Companion {
    final List<String> heard = new ArrayList<>();

    @Override
    public void beforeCommit(Tx tx) {
      heard.add("before");
    }

    @Override
    public void committed() {
      heard.add("committed");
    }

    @Override
    public void failed(boolean known) {
      heard.add("failed " + known);
    }
  }

  private static final class Failing extends Noting {
    @Override
    public void committed() {
      throw new IllegalStateException("committed");
    }

    @Override
    public void failed(boolean known) {
      throw new IllegalStateException("failed");
    }
  }

  private final Ending ending = new Ending();

  @Test
  void thereIsOneCompanionOfAKind() {
    Noting one = ending.with(Noting.class, Noting::new);
    assertThat(ending.with(Noting.class, Noting::new)).isSameAs(one);
    ending.committed();
    assertThat(one.heard).containsExactly("committed");
  }

  /** Each may hold something that nobody else would let go of. */
  @Test
  void oneThatFailsKeepsTheEndFromNobody() {
    ending.with(Failing.class, Failing::new);
    Noting other = ending.with(Noting.class, Noting::new);
    assertThatThrownBy(ending::committed).hasMessage("committed");
    assertThatThrownBy(() -> ending.failed(true)).hasMessage("failed");
    assertThat(other.heard).containsExactly("committed", "failed true");
  }
}
