import { h } from './dom.js';

const number = new Intl.NumberFormat('en');

export const count = (value) => (value === undefined || value === null ? '–' : number.format(value));

export const capped = (value, cap = 1000) => (value >= cap ? `${number.format(cap)}+` : count(value));

export function duration(millis) {
  if (millis === undefined || millis === null) return '–';
  const seconds = millis / 1000;
  if (seconds < 1) return `${millis < 10 ? Number(millis.toFixed(1)) : Math.round(millis)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

export function clock(iso) {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}

/** Hours, minutes and seconds, as logs have them. */
export function clockTime(iso) {
  return new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
}

/** How far from now, with the exact time for those who point at it. */
export function time(iso) {
  if (!iso) return h('span', { class: 'muted' }, '–');
  const away = Date.parse(iso) - Date.now();
  const text = Math.abs(away) < 1000 ? 'now' : away > 0 ? `in ${duration(away)}` : `${duration(-away)} ago`;
  return h('time', { datetime: iso, title: clock(iso) }, text);
}

export const words = (constant) => (constant ?? '').toLowerCase().replaceAll('_', ' ');

/** JSON is laid out; anything else stays as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** How many a list shows, of how many it picked them, and whether that was all. */
export function shown(found, lookedAt, more) {
  if (lookedAt <= found) return `${count(found)} shown`;
  return `${count(found)} shown of ${count(lookedAt)} looked at; ${more ? 'there may be more' : 'there are no more'}`;
}

export const short = (id) => `${id.slice(0, 8)}…${id.slice(-4)}`;
