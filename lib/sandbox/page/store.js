// What the page shows at the moment. It holds one page of each long list, never all of it.
const EMPTY = { items: [], total: 0, found: 0, newer: 0, before: null, after: null };

/** The rows of one page of a list. */
export const PAGE = 50;

/** The lists that come in pages, and what their cursors and filters ask for. */
export const PAGED = ['payments', 'payouts', 'webhooks', 'requests'];

export const store = {
  /** The shown page of each list, as the control API answers it; `known` is false until it is read. */
  payments: { ...EMPTY, known: false },
  payouts: { ...EMPTY, known: false },
  webhooks: { ...EMPTY, known: false },
  requests: { ...EMPTY, known: false },
  balance: { ...EMPTY, known: false },
  faults: { ...EMPTY, known: false },
  /** The newest payments that wait for the customer. */
  waiting: { ...EMPTY, known: false },
  /** The open record: what the address names, and what the emulator has of it (null: nothing). */
  open: { place: undefined, record: undefined },
  clock: undefined,
  /** When the clock's time arrived, by the browser's clock. */
  clockReceivedAt: 0,
};

/** Each list with the function that finds an item's key. */
const idOf = ({ id }) => id;
export const keyOf = ({ merchant, reference }) => JSON.stringify([merchant, reference]);
export const LISTS = {
  payments: keyOf,
  payouts: keyOf,
  webhooks: idOf,
  requests: idOf,
  balance: ({ merchant }) => merchant,
  faults: idOf,
};

export function setClock(clock) {
  store.clock = clock;
  store.clockReceivedAt = Date.now();
}
