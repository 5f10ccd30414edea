/* global document */
// Creates elements. Outside values reach the page only through textContent and attributes that hold no code.
import { currentLanguage, text } from './words.js';

const ICONS = {
  paid: 'success',
  delivered: 'success',
  exhausted: 'failed',
  failing: 'failed',
  waiting: 'pending',
  skipped: 'cancelled',
};

export const byId = (id) => document.getElementById(id);

/** Creates an element with attributes. Children are elements or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** The characters of a long text that stay in view however narrow its place is. */
const TAIL = 6;

/**
 * Shows a long text on one line. Where it does not fit, CSS cuts its middle; the whole stays in the page for
 * copying, searching and screen readers, and in the tooltip.
 */
export function shortened(words, tag = 'span', attributes = {}) {
  const characters = [...words];
  if (characters.length <= 2 * TAIL) return make(tag, { class: 'short', ...attributes }, words);
  const start = make('span', { class: 'start' }, characters.slice(0, -TAIL).join(''));
  const end = make('span', { class: 'end' }, characters.slice(-TAIL).join(''));
  const name = tag === 'a' ? { 'aria-label': words } : {};
  return make(tag, { class: 'long', title: words, ...name, ...attributes }, start, end);
}

/** Lets a long text wrap behind its signs, so that no word of it is broken. */
export function wrapped(words) {
  const parts = words.split(/(?<=[-_/.:?&=,])/u);
  return make('span', {}, ...parts.flatMap((part, index) => (index === 0 ? [part] : [make('wbr'), part])));
}

export function button(label, press, attributes = {}) {
  const element = make('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', press);
  return element;
}

/** Shows a status with words and a sign, so that nobody needs its colour. */
export function statusOf(status, words = text(`status.${status}`)) {
  const element = byId('status').content.firstElementChild.cloneNode(true);
  element.dataset.status = status;
  element.querySelector('use').setAttribute('href', `#icon-${ICONS[status] ?? status}`);
  element.lastElementChild.textContent = words;
  return element;
}

/** Creates a list of terms with values. Leaves out terms without a value. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return make(
    'dl',
    { class: 'facts' },
    ...known.map(([term, value]) =>
      make(
        'div',
        {},
        make('dt', {}, term),
        make('dd', {}, typeof value === 'string' ? wrapped(value) : value),
      ),
    ),
  );
}

/** The parts of a text that has code between backticks. */
export function coded(words) {
  return words.split('`').map((part, index) => (index % 2 === 0 ? part : make('code', {}, part)));
}

const drawn = new WeakMap();

/**
 * Shows items in a list. Keeps the element of an unchanged item, and moves the focus to the element that
 * replaces a changed one, or to the list if it was in one that is gone: never to another item, where the same key would act again.
 *
 * @param around What else the elements show.
 */
export function showList(list, items, keyOf, draw, around) {
  const known = new Map([...list.children].map((element) => [element.dataset.key, element]));
  const wanted = items.map((item) => {
    const key = keyOf(item);
    const state = JSON.stringify([currentLanguage(), around, item]);
    const old = known.get(key);
    if (old && drawn.get(old) === state) return old;
    const element = draw(item);
    element.dataset.key = key;
    drawn.set(element, state);
    if (old) replace(old, element);
    return element;
  });
  for (const element of [...list.children]) {
    if (wanted.includes(element)) continue;
    const hadFocus = element.contains(document.activeElement);
    element.remove();
    if (!hadFocus) continue;
    list.tabIndex = -1;
    list.focus({ preventScroll: true });
  }
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

/** Runs the action of a button or form, one at a time, and shows its error. */
export async function busily(element, problem, work) {
  // Not `disabled`: a disabled button drops the focus.
  if (element.ariaBusy === 'true') return;
  element.ariaBusy = 'true';
  problem.textContent = '';
  await work().catch((error) => showProblem(problem, error));
  element.ariaBusy = 'false';
}

/** Shows an error. One that the page has no words for is in the emulator's English. */
export function showProblem(problem, { message, lang }) {
  problem.lang = lang ?? currentLanguage();
  problem.textContent = message;
}

export function announce(words) {
  byId('announcer').textContent = words;
}
