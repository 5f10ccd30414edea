// What the emulator has told: the lists as they are now, by their keys.
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
  /** When the clock's time was told, by this browser. */
  clockTold: 0,
};

/** Where each list comes from, and what each message of the stream changes. */
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

/** Older ones are not shown: a long run must not slow the page down. */
export const SHOWN = 200;

export function put(message, value) {
  if (message === 'clock') tellTime(value);
  else if (message === 'faults') fill('faults', value.items);
  else {
    const name = MESSAGES[message];
    store[name].set(LISTS[name](value), value);
  }
}

export function fill(name, items) {
  store[name] = new Map(items.map((item) => [LISTS[name](item), item]));
}

export function tellTime(clock) {
  store.clock = clock;
  store.clockTold = Date.now();
}

export const newest = (name, wanted = () => true) =>
  [...store[name].values()].filter(wanted).reverse().slice(0, SHOWN);
