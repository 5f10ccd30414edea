// The emulator's lists, by key.
export const keyOf = ({ merchant, reference }) => JSON.stringify([merchant, reference]);
const idOf = ({ id }) => id;
const merchantOf = ({ merchant }) => merchant;

export const store = {
  payments: new Map(),
  payouts: new Map(),
  webhooks: new Map(),
  requests: new Map(),
  balance: new Map(),
  faults: new Map(),
  clock: undefined,
  /** When the clock's time arrived, by the browser's clock. */
  clockReceivedAt: 0,
};

/** Each list with the function that finds an item's key. */
export const LISTS = {
  payments: keyOf,
  payouts: keyOf,
  webhooks: idOf,
  requests: idOf,
  balance: merchantOf,
  faults: idOf,
};
const MESSAGES = {
  payment: 'payments',
  payout: 'payouts',
  delivery: 'webhooks',
  request: 'requests',
  balance: 'balance',
};

/** The page shows no older items, so that a long run does not slow it down. */
export const SHOWN = 200;

export function put(message, value) {
  if (message === 'clock') setClock(value);
  else if (message === 'faults') fill('faults', value.items);
  else {
    const name = MESSAGES[message];
    store[name].set(LISTS[name](value), value);
  }
}

export function fill(name, items) {
  store[name] = new Map(items.map((item) => [LISTS[name](item), item]));
}

export function setClock(clock) {
  store.clock = clock;
  store.clockReceivedAt = Date.now();
}

export const newest = (name, wanted = () => true) =>
  [...store[name].values()].filter(wanted).reverse().slice(0, SHOWN);
