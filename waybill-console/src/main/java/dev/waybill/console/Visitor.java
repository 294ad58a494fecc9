package dev.waybill.console;

import java.util.Optional;

/**
 * Somebody at the door.
 *
 * @param who they are
 * @param csrf what their page must send along with a change
 * @param forgeable whether a browser shows who they are by itself, so that a foreign page could
 *     make it ask
 * @param session the id of their session, if they have one
 */
record Visitor(Principal who, String csrf, boolean forgeable, Optional<String> session) {}
