/** Results as JSON, as a table, as one HTML file and as the page in the documentation. */
@NullMarked
package dev.waybill.bench.report;

import org.jspecify.annotations.NullMarked;
