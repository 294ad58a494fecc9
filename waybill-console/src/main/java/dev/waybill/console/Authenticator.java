package dev.waybill.console;

import java.net.InetAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lets the host application say who somebody is, for example by its own session cookie or by a
 * header that its proxy sets. Called for every request that has neither a token nor a session of
 * the console, and again every few seconds while a page listens; what it throws counts as a
 * refusal.
 */
@FunctionalInterface
public interface Authenticator {
  /** Who it is; empty if nobody who may come in. */
  Optional<Principal> authenticate(Caller caller);

  /** What is known about a request. */
  interface Caller {
    /** The first header of that name. */
    @Nullable String header(String name);

    /** Where the connection comes from: a proxy perhaps. */
    InetAddress address();
  }
}
