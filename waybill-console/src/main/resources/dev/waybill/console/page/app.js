import { get, post, session, ApiError } from './lib/api.js';
import { h, morph } from './lib/dom.js';
import { ask, badge, button, empty, tell } from './lib/parts.js';
import { overview } from './pages/overview.js';
import { queues, queue, partition } from './pages/queues.js';
import { deadLetters, deadLetter } from './pages/dead-letters.js';
import { jobs, job } from './pages/jobs.js';
import { schedules } from './pages/schedules.js';
import { workflows, workflow } from './pages/workflows.js';
import { system } from './pages/system.js';

const NAV = [
  ['/', 'Overview', 'o'],
  ['/queues', 'Queues', 'q'],
  ['/dead-letters', 'Dead letters', 'd'],
  ['/jobs', 'Jobs', 'j'],
  ['/schedules', 'Schedules', 's'],
  ['/workflows', 'Workflows', 'w'],
  ['/system', 'Schema & health', 'h'],
];

const PAGES = [
  [/^\/$/, overview],
  [/^\/queues$/, queues],
  [/^\/queues\/([^/]+)$/, queue],
  [/^\/queues\/([^/]+)\/(\d+)$/, partition],
  [/^\/dead-letters$/, deadLetters],
  [/^\/dead-letters\/(\d+)$/, deadLetter],
  [/^\/jobs$/, jobs],
  [/^\/jobs\/([0-9a-f-]+)$/, job],
  [/^\/schedules$/, schedules],
  [/^\/workflows$/, workflows],
  [/^\/workflows\/([0-9a-f-]+)$/, workflow],
  [/^\/system$/, system],
];

const state = { who: {}, sample: null, points: [], live: 'connecting', page: null, stream: null };
const root = document.getElementById('app');
const main = h('main', { id: 'main', tabindex: '-1' });

function route() {
  const [path, query] = (location.hash.slice(1) || '/').split('?');
  return { path, query: new URLSearchParams(query ?? '') };
}

const go = (address) => {
  location.hash = address;
};

/** Does something that changes things, and tells what came of it. */
async function act(path, body, done) {
  try {
    const answer = await post(path, body);
    tell(typeof done === 'function' ? done(answer) : done);
    await state.page?.load?.();
    return answer;
  } catch (error) {
    tell(error.message, 'bad');
    if (error instanceof ApiError && error.status === 401) start();
    return null;
  }
}

function show() {
  const { path, query } = route();
  const found = PAGES.map(([pattern, make]) => [pattern.exec(path), make]).find(([match]) => match);
  const same = state.page?.path === path;
  const scroll = same ? main.scrollTop : 0;
  state.page?.dispose?.();
  const names = found ? found[0].slice(1).map(decodeURIComponent) : [];
  // An answer that comes late belongs to a page that is gone: it must not be drawn over the one that people see and act on.
  const visit = {};
  const here = () => state.visit === visit;
  state.visit = visit;
  const context = {
    route: { path, query },
    names,
    state,
    go,
    act,
    ask,
    get,
    may: state.who.role === 'OPERATE',
    features: state.who.features ?? {},
    replace: (node) => here() && (main.firstChild ? morph(main.firstChild, node) : main.append(node)),
    failed: (error) => here() && main.replaceChildren(empty('That did not work', error.message)),
  };
  if (!same) main.replaceChildren();
  state.page = found ? found[1](context) : { load: () => main.replaceChildren(empty('There is no such page', 'Choose one on the left.')) };
  state.page.path = path;
  const title = NAV.find(([address]) => address === path)?.[1] ?? names[0] ?? '';
  document.title = `${title ? `${title} · ` : ''}${state.who.title}`;
  state.page.load?.();
  if (state.sample) state.page.sample?.(state.sample);
  frame();
  listen(state.page.watch);
  if (!same) main.focus({ preventScroll: true });
  main.scrollTop = scroll;
}

/** One stream per tab; the server takes one sample for all of them. */
function listen(watch = '') {
  if (state.stream && state.stream.watch === watch) return;
  state.stream?.close();
  const stream = new EventSource(`api/v1/stream${watch ? `?${watch}` : ''}`);
  stream.watch = watch;
  state.stream = stream;
  stream.addEventListener('history', (event) => {
    state.points = JSON.parse(event.data).points;
  });
  stream.addEventListener('sample', (event) => {
    state.sample = JSON.parse(event.data);
    state.points = [...state.points.slice(-299), state.sample.point];
    live('live');
    state.page?.sample?.(state.sample);
  });
  stream.addEventListener('subject', (event) => state.page?.subject?.(JSON.parse(event.data)));
  stream.onerror = () => {
    live('connecting');
    // The browser tries again by itself, unless it was refused.
    if (stream.readyState === EventSource.CLOSED && state.stream === stream) {
      state.stream = null;
      setTimeout(start, 2000);
    }
  };
}

// A tab that nobody sees does not watch.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    state.stream?.close();
    state.stream = null;
  } else if (state.page) listen(state.page.watch);
});

function live(word) {
  if (state.live !== word) {
    state.live = word;
    frame();
  }
}

function frame() {
  const { path } = route();
  const nav = NAV.filter(([address]) => (address === '/jobs' || address === '/schedules' ? state.who.features?.jobs : address === '/workflows' ? state.who.features?.workflows : true));
  const header = h(
    'header',
    { class: 'top' },
    h('a', { class: 'brand', href: '#/' }, h('img', { src: 'icon.svg', alt: '', width: 20, height: 20 }), state.who.title),
    h('span', { class: 'live', role: 'status' }, badge(state.live, state.live === 'live' ? 'live' : 'connecting…', state.live === 'live' ? 'good' : 'warn')),
    h('span', { class: 'grow' }),
    h('span', { class: 'who' }, `${state.who.name} (${state.who.role === 'OPERATE' ? 'may operate' : 'may look'})`),
    state.who.signIn && !state.who.signedIn && button('Sign in', () => signIn(), { class: 'quiet' }),
    state.who.signedIn && button('Sign out', () => post('session/end').then(start), { class: 'quiet' }),
    button('◐', toggleTheme, { class: 'quiet', label: 'Switch between light and dark', title: 'Light or dark' }),
    button('?', help, { class: 'quiet', label: 'Keyboard help', title: 'Keyboard' }),
  );
  const side = h(
    'nav',
    { class: 'side', 'aria-label': 'Pages' },
    nav.map(([address, text]) => {
      const here = address === '/' ? path === '/' : path === address || path.startsWith(`${address}/`);
      return h('a', { href: `#${address}`, 'aria-current': here ? 'page' : undefined }, text);
    }),
  );
  if (!root.firstChild) root.append(header, side, main);
  else {
    morph(root.children[0], header);
    morph(root.children[1], side);
  }
  reveal(root.children[1]);
}

/** On a phone the pages stand in one line that is longer than the screen. */
function reveal(side) {
  const here = side.querySelector('[aria-current]');
  if (!here || here.textContent === state.revealed) return;
  state.revealed = here.textContent;
  side.scrollLeft += here.getBoundingClientRect().left - side.getBoundingClientRect().left - (side.clientWidth - here.offsetWidth) / 2;
}

function toggleTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  localStorage.setItem('waybill-theme', document.documentElement.dataset.theme);
  show();
}

function help() {
  const keys = [...NAV.map(([, text, key]) => [`g ${key}`, text]), ['/', 'to the first filter'], ['j k', 'down and up in a list'], ['Enter', 'open'], ['?', 'this help']];
  const dialog = h('dialog', {}, h('form', { method: 'dialog' }, h('h2', {}, 'Keyboard'), h('dl', { class: 'keys' }, keys.map(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])), h('div', { class: 'buttons' }, h('button', { class: 'primary' }, 'Close'))));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

let pressed = '';
document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (pressed === 'g') {
    const found = NAV.find(([, , key]) => key === event.key);
    if (found) go(found[0]);
  } else if (event.key === '/') {
    const first = document.querySelector('.filters input, .filters select');
    if (first) {
      event.preventDefault();
      first.focus();
    }
  } else if (event.key === '?') help();
  else if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1);
  pressed = event.key === 'g' ? 'g' : '';
});

function step(by) {
  const links = [...main.querySelectorAll('tbody a.row, .attention a')];
  if (links.length === 0) return;
  const at = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))].focus();
}

async function signIn(token) {
  const given = token ?? (await ask({ title: 'Sign in', text: 'With a token of this console.', confirm: 'Sign in', fields: [{ name: 'token', label: 'Token', type: 'password' }] }))?.token;
  if (!given) return;
  try {
    await post('session', { token: given });
  } catch (error) {
    tell(error.message, 'bad');
    // Whoever stands at the door may try again at once.
    if (root.querySelector('.door')) return;
  }
  start();
}

function closed() {
  state.stream?.close();
  state.stream = null;
  const input = h('input', { type: 'password', autocomplete: 'current-password', 'aria-label': 'Token', placeholder: 'Token' });
  root.replaceChildren(
    h(
      'form',
      {
        class: 'door',
        onsubmit: (event) => {
          event.preventDefault();
          signIn(input.value.trim());
        },
      },
      h('img', { src: 'icon.svg', alt: '', width: 36, height: 36 }),
      h('h1', {}, state.who.title ?? 'Waybill'),
      state.who.signIn ? [h('p', {}, 'This console is closed. Sign in with a token.'), input, h('button', { class: 'primary' }, 'Sign in')] : h('p', {}, 'This console is closed: the application that it belongs to decides who comes in.'),
    ),
  );
  input.focus();
}

async function start() {
  try {
    state.who = await session();
  } catch (error) {
    root.replaceChildren(empty('The console does not answer', error.message));
    setTimeout(start, 3000);
    return;
  }
  if (!state.who.role) {
    // A link may bring its token along in the fragment, which no server and no log ever sees.
    const brought = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
    if (brought) {
      history.replaceState(null, '', location.pathname);
      signIn(brought);
      return;
    }
    closed();
    return;
  }
  if (location.hash.startsWith('#token=')) history.replaceState(null, '', location.pathname);
  root.replaceChildren();
  main.replaceChildren();
  state.page = null;
  frame();
  show();
}

window.addEventListener('hashchange', () => state.who.role && show());
// Lists have no stream of their own: visible ones look again now and then.
setInterval(() => {
  if (!document.hidden && !document.querySelector('dialog[open]')) state.page?.poll?.();
}, 5000);
start();
