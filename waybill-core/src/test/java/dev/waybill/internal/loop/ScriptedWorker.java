package dev.waybill.internal.loop;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/** Does what a test tells it, run by run, then waits to be rung; remembers when it ran. */
final class ScriptedWorker implements Worker {
  private final String name;
  private final ManualTime time;
  private final Queue<Callable<Next>> script = new ArrayDeque<>();
  private final List<Long> runs = new CopyOnWriteArrayList<>();
  private Callable<Next> afterwards = Next::whenRung;

  ScriptedWorker(String name, ManualTime time) {
    this.name = name;
    this.time = time;
  }

  ScriptedWorker answers(Next... answers) {
    for (Next answer : answers) {
      script.add(() -> answer);
    }
    return this;
  }

  ScriptedWorker does(Callable<Next> step) {
    script.add(step);
    return this;
  }

  ScriptedWorker fails(int times) {
    for (int i = 0; i < times; i++) {
      script.add(
          () -> {
            throw new IllegalStateException("broken");
          });
    }
    return this;
  }

  ScriptedWorker thenAlways(Callable<Next> step) {
    afterwards = step;
    return this;
  }

  /** The milliseconds at which runs began. */
  List<Long> runs() {
    return runs;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Next runOnce() throws Exception {
    runs.add(time.millis());
    Callable<Next> step = script.poll();
    return (step == null ? afterwards : step).call();
  }
}
