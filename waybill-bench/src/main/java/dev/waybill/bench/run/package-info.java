/** Trials in JVMs of their own, their order, their progress, and the command. */
@NullMarked
package dev.waybill.bench.run;

import org.jspecify.annotations.NullMarked;
