import { h } from './dom.js';
import { count, words } from './format.js';

const TONES = {
  good: ['SUCCEEDED', 'RESOLVED', 'APPLIED', 'ENQUEUED_FIRE', 'active', 'delivering', 'fine'],
  bad: ['DEAD_LETTERED', 'FAILED', 'retrying', 'CONFLICT', 'DIRTY', 'BAD', 'TERMINAL', 'PANICKED', 'TIMEOUT', 'LEASE_EXPIRED', 'ERROR', 'MISFIRED', 'QUARANTINED'],
  warn: ['WAITING', 'paused', 'waiting', 'WARN', 'RETRYABLE', 'REPROCESSING', 'disabled', 'OVERLAPPED'],
  busy: ['LEASED', 'RUNNING', 'PENDING_JOB', 'ENQUEUED', 'INFO', 'TRIGGERED'],
};

export function tone(state) {
  for (const [name, states] of Object.entries(TONES)) if (states.includes(state)) return name;
  return 'idle';
}

/** A state is always a colour and a word. */
export function badge(state, text = words(state), as = tone(state)) {
  return h('span', { class: `badge ${as}` }, h('i', { 'aria-hidden': 'true' }), text);
}

export function panel(title, options, ...content) {
  return h(
    'section',
    { class: `panel ${options.class ?? ''}`, 'data-key': options.key },
    title && h('header', {}, h('h2', {}, title), options.note && h('p', { class: 'muted' }, options.note), h('div', { class: 'tools' }, options.tools ?? [])),
    content,
  );
}

export function empty(title, hint) {
  return h('div', { class: 'empty' }, h('strong', {}, title), hint && h('p', {}, hint));
}

/** A list without rows: nothing yet of what was looked at, nothing that meets the filter, or nothing at all. */
export function none(what, answer, filtered, hint) {
  if (answer.next) return empty('None found so far', `None of the ${count(answer.lookedAt)} ${what} looked at meets the filter. There are more: look further.`);
  return filtered ? empty(`No ${what} here`, 'Nothing else meets the filter.') : empty(`No ${what} here`, hint);
}

/** Columns are {head, cell, class}; a row that leads somewhere has its link in the first cell. */
export function table(columns, rows, options = {}) {
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      {},
      options.caption && h('caption', { class: 'unseen' }, options.caption),
      h('thead', {}, h('tr', {}, columns.map((column) => h('th', { class: column.class, scope: 'col' }, column.head)))),
      h(
        'tbody',
        {},
        rows.map((row) => h('tr', { 'data-key': options.key?.(row) }, columns.map((column) => h('td', { class: column.class }, column.cell(row))))),
      ),
    ),
  );
}

export function button(text, onclick, options = {}) {
  return h('button', { type: 'button', class: options.class, onclick, disabled: options.disabled, title: options.title, 'aria-label': options.label }, text);
}

/** Filters live in the address: changing one goes there. */
export function filters(route, fields, go) {
  const change = (name, value) => {
    const next = new URLSearchParams(route.query);
    ['after', 'beforeTime', 'beforeId'].forEach((place) => next.delete(place));
    if (value) next.set(name, value);
    else next.delete(name);
    go(`${route.path}${next.toString() ? `?${next}` : ''}`);
  };
  const active = fields.some((field) => route.query.get(field.name));
  return h(
    'form',
    { class: 'filters', role: 'search', onsubmit: (event) => event.preventDefault() },
    fields.map((field) => {
      const value = route.query.get(field.name) ?? '';
      const control = field.options
        ? h(
            'select',
            { name: field.name, onchange: (event) => change(field.name, event.target.value) },
            h('option', { value: '' }, field.any ?? 'any'),
            field.options.map((option) => h('option', { value: option, selected: option === value }, field.raw ? option : words(option))),
          )
        : h('input', {
            name: field.name,
            type: field.type ?? 'search',
            value: field.type === 'datetime-local' && value ? local(value) : value,
            placeholder: field.placeholder ?? '',
            spellcheck: 'false',
            autocomplete: 'off',
            onchange: ({ target }) => change(field.name, field.type === 'datetime-local' && target.value ? new Date(target.value).toISOString() : target.value.trim()),
          });
      return h('label', {}, h('span', {}, field.label), control);
    }),
    active && button('Clear', () => go(route.path), { class: 'quiet' }),
  );
}

/** The address has moments; people think in the time of their place. */
function local(iso) {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs.filter(([, value]) => value !== undefined && value !== null).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

export function code(title, text) {
  if (text === undefined || text === null) return null;
  return h('details', { class: 'code', open: true }, h('summary', {}, title), h('pre', { tabindex: '0' }, text));
}

/** Asks before something is changed. Resolves to the fields' values, or to null. */
export function ask({ title, text, confirm, danger, fields = [] }) {
  return new Promise((resolve) => {
    const inputs = {};
    const form = h(
      'form',
      { method: 'dialog' },
      h('h2', {}, title),
      text && h('p', {}, text),
      fields.map((field) => {
        const control = field.lines
          ? h('textarea', { rows: field.lines, placeholder: field.placeholder ?? '', spellcheck: 'false' })
          : h('input', { type: field.type ?? 'text', placeholder: field.placeholder ?? '', autocomplete: 'off' });
        inputs[field.name] = control;
        return h('label', { class: 'field' }, h('span', {}, field.label), control);
      }),
      h('div', { class: 'buttons' }, h('button', { value: 'no', formnovalidate: true }, 'Cancel'), h('button', { value: 'yes', class: danger ? 'danger' : 'primary' }, confirm)),
    );
    const dialog = h('dialog', {}, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (dialog.returnValue !== 'yes') resolve(null);
      else resolve(Object.fromEntries(Object.entries(inputs).map(([name, control]) => [name, control.value.trim() || undefined])));
    });
    document.body.append(dialog);
    dialog.showModal();
    (Object.values(inputs)[0] ?? form.querySelector('button[value=yes]')).focus();
  });
}

/** Tells what came of something, also to those who listen instead of looking. */
export function tell(text, as = 'good') {
  let place = document.getElementById('toasts');
  if (!place) {
    place = h('div', { id: 'toasts', role: 'status', 'aria-live': 'polite' });
    document.body.append(place);
  }
  const toast = h('div', { class: `toast ${as}` }, text);
  place.append(toast);
  setTimeout(() => toast.remove(), as === 'bad' ? 9000 : 5000);
}
