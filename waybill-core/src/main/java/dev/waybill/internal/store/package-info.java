/**
 * Domain verbs over SQL. A store per feature; a dialect overrides only what differs in shape, and
 * what differs in text is in its {@code .sql} file.
 */
@NullMarked
package dev.waybill.internal.store;

import org.jspecify.annotations.NullMarked;
