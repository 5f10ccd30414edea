/* global document */
// Elements. Values from outside reach the page through textContent and attributes that hold no code.
import { currentLanguage, text } from './words.js';

const ICONS = {
  paid: 'success',
  delivered: 'success',
  exhausted: 'failed',
  waiting: 'pending',
  skipped: 'cancelled',
};

export const byId = (id) => document.getElementById(id);

/** An element with attributes; children are elements or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function button(label, press, attributes = {}) {
  const element = make('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', press);
  return element;
}

/** A status in words and with a sign, so that its colour is not needed. */
export function statusOf(status, words = text(`status.${status}`)) {
  const element = byId('status').content.firstElementChild.cloneNode(true);
  element.dataset.status = status;
  element.querySelector('use').setAttribute('href', `#icon-${ICONS[status] ?? status}`);
  element.lastElementChild.textContent = words;
  return element;
}

/** Terms and what they are; those without a value are left out. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return make(
    'dl',
    { class: 'facts' },
    ...known.map(([term, value]) => make('div', {}, make('dt', {}, term), make('dd', {}, value))),
  );
}

const drawn = new WeakMap();

/**
 * Shows these items in a list. An element stays where its item is as it was, and its successor takes over the focus, so
 * that an update disturbs nobody.
 */
export function showList(list, items, keyOf, draw) {
  const known = new Map([...list.children].map((element) => [element.dataset.key, element]));
  const wanted = items.map((item) => {
    const key = keyOf(item);
    const state = JSON.stringify([currentLanguage(), item]);
    const old = known.get(key);
    if (old && drawn.get(old) === state) return old;
    const element = draw(item);
    element.dataset.key = key;
    drawn.set(element, state);
    if (old) replace(old, element);
    return element;
  });
  for (const element of [...list.children]) if (!wanted.includes(element)) element.remove();
  wanted.forEach((element, index) => {
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  });
}

function replace(old, element) {
  const focused = old.contains(document.activeElement) ? focusables(old).indexOf(document.activeElement) : -1;
  old.replaceWith(element);
  if (focused >= 0) (focusables(element)[focused] ?? focusables(element)[0])?.focus();
}

const focusables = (element) => [...element.querySelectorAll('a, button, input, select')];

/** Does something for a button or form, once at a time, and shows what went wrong. */
export async function busily(element, problem, work) {
  // Not `disabled`: a disabled button drops the focus.
  if (element.ariaBusy === 'true') return;
  element.ariaBusy = 'true';
  problem.textContent = '';
  await work().catch(({ message }) => {
    problem.textContent = message;
  });
  element.ariaBusy = 'false';
}

export function announce(words) {
  byId('announcer').textContent = words;
}
