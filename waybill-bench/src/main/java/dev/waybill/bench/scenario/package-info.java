/** What is asked of the contenders: {@code S1} to {@code S12}. */
@NullMarked
package dev.waybill.bench.scenario;

import org.jspecify.annotations.NullMarked;
