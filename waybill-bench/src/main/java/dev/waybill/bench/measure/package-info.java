/**
 * What a run costs: statements, log and table bytes, processor time, and who else was busy
 * meanwhile.
 */
@NullMarked
package dev.waybill.bench.measure;

import org.jspecify.annotations.NullMarked;
