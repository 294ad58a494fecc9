/**
 * Everybody who takes part, each behind {@link dev.waybill.bench.contender.Contender}, with the
 * settings its documentation advises.
 */
@NullMarked
package dev.waybill.bench.contender;

import org.jspecify.annotations.NullMarked;
