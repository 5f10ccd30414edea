/* global URLSearchParams */
// Links from one record to those of the same reference.
import { read } from './control.js';
import { make } from './dom.js';
import { worded } from './fields.js';
import { placeOf } from './tabs.js';
import { text } from './words.js';

const PATHS = { webhooks: 'deliveries' };
const TITLES = {
  payments: ({ reference }) => reference,
  payouts: ({ reference }) => reference,
  webhooks: ({ event, state }) => `${event}, ${text(`status.${state}`)}`,
  requests: ({ method, path, status }) => `${method} ${path} ${status ?? text('status.none')}`,
};

/** A place for links to the records of the same reference and merchant. They appear when they are read. */
export function linksOf({ merchant, reference }, tabs) {
  const place = make('div');
  if (merchant === null || reference === null) return place;
  Promise.all(tabs.map((tab) => linksIn(tab, merchant, reference)))
    .then((found) => {
      const links = found.flat();
      if (links.length > 0)
        place.replaceChildren(worded('h4', 'belongsTogether'), make('ul', { class: 'links' }, ...links));
    })
    .catch(() => {
      // The next event reads the record, and these, again.
    });
  return place;
}

async function linksIn(tab, merchant, reference) {
  const byReference = tab === 'payments' || tab === 'payouts';
  const wanted = byReference ? { q: reference } : { reference };
  const query = new URLSearchParams({ merchant, ...wanted, limit: '50' });
  const { items } = await read(`${PATHS[tab] ?? tab}?${query}`);
  return items
    .filter((item) => item.reference === reference)
    .map((item) => {
      const href = byReference ? placeOf(tab, reference, merchant) : placeOf(tab, item.id);
      return make('li', {}, worded('span', `one.${tab}`), ' ', make('a', { href }, TITLES[tab](item)));
    });
}
