/** The entry points of the library: {@code Waybill} and the root of its errors. */
@NullMarked
package dev.waybill;

import org.jspecify.annotations.NullMarked;
