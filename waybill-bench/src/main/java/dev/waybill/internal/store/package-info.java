/** Microbenchmarks of what the library hides in its package of the same name. */
@NullMarked
package dev.waybill.internal.store;

import org.jspecify.annotations.NullMarked;
