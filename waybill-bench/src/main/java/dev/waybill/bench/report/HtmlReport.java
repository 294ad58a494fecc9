package dev.waybill.bench.report;

import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.contender.Promise;
import java.util.List;

/** One file with tables and plots, which needs nothing else. */
public final class HtmlReport {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --ink: #1f2933; --paper: #fff; --faint: #d5dbe1;
        --bar: #94a3b8; --ours: #c2410c; }
      @media (prefers-color-scheme: dark) { :root { --ink: #e5e7eb; --paper: #14181d;
        --faint: #39424d; --bar: #64748b; --ours: #fb923c; } }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
        max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
      h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2.5rem }
      .scroll { overflow-x: auto } table { border-collapse: collapse; font-size: .85rem }
      th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--faint); text-align: right;
        white-space: nowrap } th:first-child, td:first-child { text-align: left }
      tr.ours td { font-weight: 600 } figure { margin: 1rem 0 } svg { max-width: 100%; height: auto }
      svg text { font: 12px system-ui, sans-serif; fill: var(--ink) }
      .bar { fill: var(--bar) } .ours { fill: var(--ours) } .spread { stroke: var(--ink) }
      .grid { stroke: var(--faint) } figcaption, .remark { font-size: .8rem; opacity: .8 }
      .failed { color: #b91c1c; font-weight: 600 }
      """;

  private HtmlReport() {}

  /** The whole file. */
  public static String of(Results results) {
    Summary summary = new Summary(results.results());
    StringBuilder html = new StringBuilder();
    html.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        .append("<title>Waybill benchmark</title><style>\n")
        .append(STYLE)
        .append("</style></head><body>\n<h1>Waybill benchmark</h1>\n<p>")
        .append(Svg.escaped(results.started() + ", scale " + results.scale()))
        .append("<br>")
        .append(Svg.escaped(results.machine()));
    results
        .servers()
        .forEach(
            (product, version) -> html.append("<br>").append(Svg.escaped(product + " " + version)));
    html.append("</p>\n<p>Medians; in brackets the lowest and the highest repetition.</p>\n");
    for (Summary.Table table : summary.tables()) {
      html.append("<h2>").append(Svg.escaped(TextTable.title(table))).append("</h2>\n");
      html.append(Plots.of(summary, table));
      html.append(table(TextTable.rows(summary, table)));
      remarks(html, summary, table);
    }
    html.append("<h2>Contenders</h2>\n").append(table(contenders()));
    return html.append("</body></html>\n").toString();
  }

  private static void remarks(StringBuilder html, Summary summary, Summary.Table table) {
    for (String contender : summary.contenders(table)) {
      for (String remark : summary.remarks(table, contender)) {
        html.append("<p class=\"remark")
            .append(remark.startsWith("FAILED") ? " failed" : "")
            .append("\">")
            .append(Svg.escaped(contender + ": " + remark))
            .append("</p>\n");
      }
    }
  }

  static List<List<String>> contenders() {
    List<List<String>> rows = new java.util.ArrayList<>();
    rows.add(List.of("", "what", "order", "in the producer's transaction"));
    for (Entry entry : Contenders.all()) {
      rows.add(
          List.of(
              entry.name(),
              entry.what(),
              order(entry),
              entry.joins() ? "yes" : "no, right after it"));
    }
    return rows;
  }

  private static String order(Entry entry) {
    return entry.isOfFlows()
        ? "of the graph"
        : entry.promise() == Promise.ORDER_PER_KEY ? "per key" : "none promised";
  }

  private static String table(List<List<String>> rows) {
    StringBuilder html = new StringBuilder("<div class=\"scroll\"><table>\n");
    for (int i = 0; i < rows.size(); i++) {
      String cell = i == 0 ? "th" : "td";
      html.append(rows.get(i).get(0).startsWith("waybill") ? "<tr class=\"ours\">" : "<tr>");
      for (String value : rows.get(i)) {
        html.append('<').append(cell).append('>').append(Svg.escaped(value));
        html.append("</").append(cell).append('>');
      }
      html.append("</tr>\n");
    }
    return html.append("</table></div>\n").toString();
  }
}
