/* global Chart */
import { h } from './dom.js';

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A small line chart over the last minutes. Lines are {key, label, color, fill, dashed}; whole: they count something. */
export class LineChart {
  constructor(label, lines, format, whole = false) {
    this.lines = lines;
    this.canvas = h('canvas', { role: 'img', 'aria-label': label });
    this.node = h('div', { class: 'chart', 'data-keep': '' }, this.canvas);
    this.format = format;
    this.whole = whole;
  }

  draw(points) {
    if (!this.chart) {
      if (!this.canvas.isConnected) return;
      this.chart = new Chart(this.canvas, this.configuration());
    }
    const last = points.length ? points[points.length - 1].t : Date.now();
    this.lines.forEach((line, i) => {
      this.chart.data.datasets[i].data = points.map((point) => ({ x: point.t, y: point[line.key] ?? null }));
    });
    this.chart.options.scales.x.max = last;
    this.chart.options.scales.x.min = Math.min(last - 20000, points.length ? points[0].t : last);
    this.chart.update('none');
  }

  configuration() {
    const muted = css('--muted');
    const format = this.format;
    return {
      type: 'line',
      data: {
        datasets: this.lines.map((line) => ({
          label: line.label,
          data: [],
          borderColor: css(line.color),
          backgroundColor: `color-mix(in srgb, ${css(line.color)} 14%, transparent)`,
          fill: line.fill ?? false,
          borderWidth: 1.5,
          borderDash: line.dashed ? [6, 4] : [],
          pointRadius: 0,
          pointHitRadius: 8,
          tension: 0.2,
        })),
      },
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        plugins: {
          legend: { display: false },
          tooltip: {
            displayColors: true,
            callbacks: {
              title: (items) => new Date(items[0].parsed.x).toLocaleTimeString(),
              label: (item) => ` ${item.dataset.label}: ${format(item.parsed.y)}`,
            },
          },
        },
        scales: {
          x: {
            type: 'linear',
            border: { display: false },
            grid: { display: false },
            ticks: { color: muted, align: 'inner', maxTicksLimit: 2, maxRotation: 0, font: { size: 10 }, callback: (value) => new Date(value).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }) },
          },
          y: {
            beginAtZero: true,
            suggestedMax: 1,
            border: { display: false },
            grid: { color: css('--line') },
            ticks: { color: muted, maxTicksLimit: 4, precision: this.whole ? 0 : undefined, font: { size: 10 }, callback: (value) => format(value) },
          },
        },
      },
    };
  }

  dispose() {
    this.chart?.destroy();
    this.chart = undefined;
  }
}
