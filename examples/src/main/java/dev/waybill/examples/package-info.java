/** Small services to read and to copy from. Their tests run them. */
@NullMarked
package dev.waybill.examples;

import org.jspecify.annotations.NullMarked;
