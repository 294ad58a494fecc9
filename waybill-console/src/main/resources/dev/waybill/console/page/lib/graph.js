/* global dagre */
import { h } from './dom.js';
import { words } from './format.js';
import { tone } from './parts.js';

const WIDTH = 176;
const HEIGHT = 56;

const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** What a step says about itself in one line. */
export function stepLine(step) {
  if (step.status === 'RUNNING') return step.attempt > 1 ? `running, attempt ${step.attempt}` : 'running';
  if (step.status === 'BLOCKED' && step.after.length > 1) return `blocked, ${step.satisfied} of ${step.needed}`;
  if (step.status === 'WAITING') return 'waits for somebody';
  if (step.kind === 'DELAY' && step.status === 'ENQUEUED') return 'waits';
  return words(step.status);
}

/** More would be a picture that nobody can read and that takes seconds to lay out. */
export const MOST_DRAWN = 400;

let last = { shape: '', graph: null };

/** States change often, the shape hardly ever: what was laid out stays. */
function layout(steps) {
  const narrow = window.innerWidth < 700;
  const shape = JSON.stringify([narrow, steps.map((step) => [step.key, step.after])]);
  if (last.shape === shape) return last.graph;
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: narrow ? 'TB' : 'LR', nodesep: 18, ranksep: narrow ? 34 : 44, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const step of steps) graph.setNode(step.key, { width: WIDTH, height: HEIGHT });
  for (const step of steps) {
    for (const edge of step.after) {
      graph.setEdge(edge.step, step.key, edge.condition ? { label: edge.condition, width: Math.min(160, edge.condition.length * 6), height: 14, labelpos: 'c' } : {});
    }
  }
  dagre.layout(graph);
  last = { shape, graph };
  return graph;
}

/** Draws a workflow: dagre decides where, SVG shows it. Steps are buttons. */
export function drawGraph(steps, selected, select) {
  const graph = layout(steps);
  const { width, height } = graph.graph();
  const byKey = new Map(steps.map((step) => [step.key, step]));
  const edges = graph.edges().map(({ v, w }) => {
    const drawn = graph.edge(v, w);
    const rule = byKey.get(w).after.find((edge) => edge.step === v);
    const done = ['SUCCEEDED', 'FAILED', 'CANCELED', 'SKIPPED'].includes(byKey.get(v).status);
    return h(
      'g',
      { class: `edge ${rule.mode === 'ON_TERMINAL' ? 'any-end' : ''} ${done ? 'done' : ''}` },
      h('path', { d: curve(drawn.points), 'marker-end': 'url(#arrow)' }),
      rule.condition && h('text', { x: drawn.x, y: drawn.y + 4, 'text-anchor': 'middle' }, clip(rule.condition, 26)),
    );
  });
  const nodes = steps.map((step) => {
    const { x, y } = graph.node(step.key);
    const choose = () => select(step.key);
    return h(
      'g',
      {
        class: `node ${tone(step.status)} ${step.status.toLowerCase()} ${step.kind.toLowerCase()} ${step.key === selected ? 'selected' : ''}`,
        transform: `translate(${x - WIDTH / 2},${y - HEIGHT / 2})`,
        tabindex: '0',
        role: 'button',
        'aria-pressed': step.key === selected ? 'true' : 'false',
        'aria-label': `${step.key}: ${stepLine(step)}`,
        'data-key': step.key,
        onclick: choose,
        onkeydown: (event) => {
          if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            choose();
          }
        },
      },
      h('rect', { width: WIDTH, height: HEIGHT, rx: step.kind === 'JOB' ? 7 : HEIGHT / 2 }),
      h('circle', { cx: 18, cy: HEIGHT / 2, r: 5 }),
      h('text', { class: 'name', x: 32, y: 24 }, clip(step.key, 18)),
      h('text', { class: 'state', x: 32, y: 41 }, clip(`${step.kind === 'JOB' || step.status === 'WAITING' ? '' : `${words(step.kind)}, `}${stepLine(step)}`, 24)),
    );
  });
  return h(
    'svg',
    { class: 'graph', width, style: { minWidth: `${Math.round(width * 0.62)}px` }, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'The steps and what they wait for' },
    h('defs', {}, h('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, h('path', { d: 'M0,0 L8,4 L0,8 z' }))),
    edges,
    nodes,
  );
}

function curve(points) {
  if (points.length < 3) return `M${points.map(({ x, y }) => `${x},${y}`).join(' L')}`;
  let path = `M${points[0].x},${points[0].y}`;
  for (let i = 1; i < points.length - 1; i++) {
    const to = i === points.length - 2 ? points[i + 1] : { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 };
    path += ` Q${points[i].x},${points[i].y} ${to.x},${to.y}`;
  }
  return path;
}
