package dev.waybill.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/**
 * A request that reached the host application's own server, and its answer; see {@link
 * Console#mount}. Whoever implements it passes on what that server says, unchanged.
 */
public interface Exchange {
  /** Such as {@code GET}. */
  String method();

  /** Path and query as the browser sent them, not decoded: {@code /ops/api/v1/jobs?type=a%20b}. */
  String target();

  /** The values of all headers of this name, whatever their case; empty if there are none. */
  List<String> headers(String name);

  /** Where the connection comes from: a proxy perhaps. */
  InetAddress address();

  /** What came along. */
  InputStream body() throws IOException;

  /**
   * Sends the head of the answer. Called once.
   *
   * @param headers by name, one of each
   * @param length of what follows; -1 if nobody knows: then whatever is flushed must reach the
   *     browser at once, without buffers and compression between
   * @return what follows
   */
  OutputStream answer(int status, Map<String, String> headers, long length) throws IOException;
}
