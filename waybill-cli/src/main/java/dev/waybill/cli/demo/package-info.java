/**
 * The demo: a little order service, run in processes of its own so that one can be killed.
 *
 * <p>The {@link dev.waybill.cli.demo.Supervisor} starts a {@link dev.waybill.cli.demo.OrderService}
 * as a child process, shows what it reports, kills it half-way with SIGKILL, starts another, and in
 * the end has the {@link dev.waybill.cli.demo.Verdict} compare what was committed with what
 * arrived. The {@link dev.waybill.cli.demo.Manager} looks after it all meanwhile.
 */
@NullMarked
package dev.waybill.cli.demo;

import org.jspecify.annotations.NullMarked;
