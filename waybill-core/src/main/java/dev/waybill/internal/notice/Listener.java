package dev.waybill.internal.notice;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.StopSignal;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Channel;
import dev.waybill.internal.store.NoticeStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what other processes announce, on one connection that it keeps. A pooler between here and
 * the database may swallow notices without a word, so it says something to itself first; if it does
 * not hear that, it gives up for a while and the workers look for themselves instead. What it says
 * also tells the others that here is somebody who listens.
 */
final class Listener implements Worker {
  /** Here is somebody who listens. */
  static final String HERE = "HERE";

  /** The sender has just learnt of somebody, and will say from now on what there is. */
  static final String WELCOME = "WELCOME";

  /** The sender does not listen any more. */
  static final String BYE = "BYE";

  private static final Logger log = LoggerFactory.getLogger(Listener.class);

  /** How long a stop may have to wait for this worker. */
  private static final Duration BREATH = Duration.ofMillis(200);

  private static final Duration PROBE = Duration.ofSeconds(2);
  private static final Duration AGAIN = Duration.ofMinutes(5);

  private final NoticeStore store;
  private final String sender;
  private final Time time;
  private final StopSignal stop;
  private final Consumer<Announcement> heard;
  private final Consumer<Boolean> hearing;
  private boolean complained;

  /**
   * A listener.
   *
   * @param heard is told what others say
   * @param hearing is told whether there is anything to hear from now on
   */
  Listener(
      NoticeStore store,
      String sender,
      Time time,
      StopSignal stop,
      Consumer<Announcement> heard,
      Consumer<Boolean> hearing) {
    this.store = store;
    this.sender = sender;
    this.time = time;
    this.stop = stop;
    this.heard = heard;
    this.hearing = hearing;
  }

  @Override
  public String name() {
    return "listener";
  }

  @Override
  public Next runOnce() {
    Optional<Channel> opened = store.listen();
    if (opened.isEmpty()) {
      giveUp("the JDBC driver in use does not pass notices on");
      return Next.after(AGAIN);
    }
    try (Channel channel = opened.get()) {
      boolean hears = hearsItself(channel);
      if (hears) {
        complained = false;
        hearing.accept(true);
        listen(channel);
      }
      if (stop.requested()) {
        say(BYE);
        return Next.whenRung();
      }
      giveUp("notices do not arrive; a connection pooler in transaction mode does that");
      return Next.after(AGAIN);
    } finally {
      hearing.accept(false);
    }
  }

  private void listen(Channel channel) {
    long said = time.nanos();
    while (!stop.requested()) {
      channel.await(BREATH).forEach(this::pass);
      if (time.nanos() - said > Time.toNanos(Company.REFRESH)) {
        say(HERE);
        said = time.nanos();
      }
    }
  }

  private void giveUp(String why) {
    if (!complained) {
      complained = true;
      log.warn("Other processes cannot wake this one, so it looks for their work itself: {}", why);
    }
  }

  private boolean hearsItself(Channel channel) {
    say(HERE);
    long deadline = time.nanos() + Time.toNanos(PROBE);
    boolean hears = false;
    while (!hears && time.nanos() - deadline < 0 && !stop.requested()) {
      // All of them: an answer to it may come with it.
      for (String text : channel.await(BREATH)) {
        hears |= isOwn(text);
        pass(text);
      }
    }
    return hears;
  }

  private boolean isOwn(String text) {
    return text.equals(Announcement.of(sender, HERE).text());
  }

  private void say(String topic) {
    store.say(Announcement.of(sender, topic).text());
  }

  private void pass(String text) {
    Announcement.parse(text).filter(each -> !each.sender().equals(sender)).ifPresent(heard);
  }
}
