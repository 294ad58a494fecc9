/** Not exported. {@link dev.waybill.internal.Pipeline} is the table of contents. */
@NullMarked
package dev.waybill.internal;

import org.jspecify.annotations.NullMarked;
