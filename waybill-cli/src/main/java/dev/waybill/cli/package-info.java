/** The command line: picocli commands over the core's exported API. */
@NullMarked
package dev.waybill.cli;

import org.jspecify.annotations.NullMarked;
