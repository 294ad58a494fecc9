// Elements are made here and nowhere else. Texts only ever become text nodes: what a payload or an
// error message contains is never read as markup.

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'g', 'rect', 'path', 'text', 'title', 'circle', 'defs', 'marker', 'polygon', 'tspan']);
const HANDLERS = ['onclick', 'onchange', 'oninput', 'onsubmit', 'onkeydown'];

export function h(tag, attributes = {}, ...children) {
  const inSvg = SVG_TAGS.has(tag) && !(tag === 'title' && attributes.html);
  const element = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'style') Object.assign(element.style, value);
    else if (name.startsWith('on')) element[name] = value;
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Makes one tree like another and keeps what is equal: focus, scroll positions and inputs survive. */
export function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || key(old) !== key(fresh)) {
    old.replaceWith(fresh);
    return fresh;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return old;
  }
  if (old.dataset && old.dataset.keep !== undefined) return old;
  for (const { name } of [...old.attributes]) {
    if (name !== 'style' && name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== 'style' && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.style && old.style.cssText !== fresh.style.cssText) old.style.cssText = fresh.style.cssText;
  for (const name of HANDLERS) if (old[name] !== fresh[name]) old[name] = fresh[name];
  if ('checked' in old && old !== document.activeElement) old.checked = fresh.checked;
  const before = [...old.childNodes];
  const after = [...fresh.childNodes];
  for (let i = 0; i < after.length; i++) {
    if (i < before.length) morph(before[i], after[i]);
    else old.append(after[i]);
  }
  for (let i = after.length; i < before.length; i++) before[i].remove();
  // What somebody is about to enter stays; everything else says what the address says.
  if ((old.nodeName === 'INPUT' || old.nodeName === 'SELECT') && old !== document.activeElement && old.value !== fresh.value) old.value = fresh.value;
  return old;
}

function key(node) {
  return node.dataset ? node.dataset.key : undefined;
}
