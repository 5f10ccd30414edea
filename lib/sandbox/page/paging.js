// The line below a list: which of its items are in view, and the way to the others.
import { button, byId, make } from './dom.js';
import { turnPage } from './filters.js';
import { readNow } from './reading.js';
import { store } from './store.js';
import { count, text } from './words.js';

/** Where each button leads; undefined if there is nothing. */
const STEPS = {
  newest: ({ after }) => (after === null ? undefined : {}),
  newer: ({ after }) => (after === null ? undefined : { after }),
  older: ({ before }) => (before === null ? undefined : { before }),
  oldest: ({ before }) => (before === null ? undefined : { after: '' }),
};

export function showPager(name) {
  const pager = byId(`list-${name}`).querySelector('.pager');
  const { items, found, newer } = store[name];
  pager.hidden = found <= items.length;
  if (pager.childElementCount === 0) pager.append(make('span'), ...Object.keys(STEPS).map(stepOf(name)));
  const [where, ...buttons] = pager.children;
  where.textContent = text('range', {
    first: count(newer + 1),
    last: count(newer + items.length),
    found: count(found),
  });
  for (const [index, step] of Object.keys(STEPS).entries()) {
    buttons[index].textContent = text(`page.${step}`);
    buttons[index].setAttribute('aria-disabled', String(STEPS[step](store[name]) === undefined));
  }
}

function stepOf(name) {
  return (step) =>
    button('', () => {
      const cursor = STEPS[step](store[name]);
      if (cursor === undefined) return;
      turnPage(name, cursor);
      readNow(name);
    });
}
