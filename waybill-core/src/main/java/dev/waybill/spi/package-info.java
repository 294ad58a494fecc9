/** What a host application may plug in or be told. */
@NullMarked
package dev.waybill.spi;

import org.jspecify.annotations.NullMarked;
