// Reads what the page shows. A message of the stream only says what to read again, so a thousand messages
// cost a few reads, and an emulator with 50,000 payments sends one page of them.
import { read, recordPath } from './control.js';
import { firstPage, queryOf } from './filters.js';
import { ignoredCount } from './phone.js';
import { PAGED, setClock, store } from './store.js';
import { currentPlace } from './tabs.js';

/** Between two reads that nobody at the page asked for. */
const PAUSE_MS = 250;
const RETRY_MS = 2_000;
/** Cards on the phone. */
const CARDS = 20;
/** What a message makes out of date. A payment's row also shows its webhook. */
const OUTDATED = {
  payment: ['payments', 'waiting', 'open'],
  payout: ['payouts', 'open'],
  delivery: ['webhooks', 'payments', 'open'],
  request: ['requests', 'open'],
  balance: ['balance'],
  faults: ['faults'],
  clock: ['clock'],
};
const PATHS = { webhooks: 'deliveries' };

const due = new Set();
/** What waits for the next read: `resolve` and `reject` of the promises of `readAll`. */
let waiting = [];
let timer;
let running = false;
let urgent = false;
let readAt = 0;
let listener = () => {};

/** Calls the listener after each read. */
export function whenRead(listen) {
  listener = listen;
}

/** Takes the name of a message: what it made out of date is read again soon. */
export function outdated(message) {
  for (const name of OUTDATED[message]) due.add(name);
  // Whatever changes also changes what falls due.
  if (currentPlace().tab === 'clock') due.add('clock');
  plan();
}

/** Reads all that the page shows. Rejects if the emulator does not answer. */
export function readAll() {
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    readNow(...Object.keys(READERS));
  });
}

/** Reads without a pause, because somebody waits for it. */
export function readNow(...names) {
  for (const name of names) if (name in READERS) due.add(name);
  urgent = true;
  clearTimeout(timer);
  timer = undefined;
  plan();
}

function plan() {
  if (running || timer !== undefined || due.size === 0) return;
  timer = setTimeout(run, urgent ? 0 : Math.max(0, readAt + PAUSE_MS - Date.now()));
}

async function run() {
  const names = [...due];
  const told = waiting;
  let well = true;
  [timer, urgent, running, waiting] = [undefined, false, true, []];
  due.clear();
  try {
    await Promise.all(names.map((name) => READERS[name]()));
    for (const { resolve } of told) resolve();
  } catch (error) {
    well = false;
    for (const name of names) due.add(name);
    for (const { reject } of told) reject(error);
  }
  [running, readAt] = [false, Date.now()];
  listener();
  if (well || urgent) plan();
  else timer = setTimeout(run, RETRY_MS);
}

const READERS = {
  ...Object.fromEntries(PAGED.map((name) => [name, () => readPage(name)])),
  balance: () => readWhole('balance'),
  faults: () => readWhole('faults'),
  waiting: async () => {
    store.waiting = await read(`payments?open=true&limit=${CARDS + ignoredCount()}`);
  },
  open: readOpen,
  clock: async () => setClock(await read('clock')),
};

/** Reads the page that is in view; of a list out of view only how many it has. */
async function readPage(name) {
  const path = PATHS[name] ?? name;
  if (currentPlace().tab !== name) {
    const { total } = await read(`${path}?limit=1`);
    store[name] = { ...store[name], total };
    return;
  }
  const page = await read(`${path}?${queryOf(name)}`).catch((error) => {
    if (error.code !== 'BAD_CURSOR') throw error;
    firstPage(name);
    return read(`${path}?${queryOf(name)}`);
  });
  store[name] = { ...page, known: true };
}

async function readWhole(name) {
  const { items } = await read(name);
  store[name] = { items, total: items.length, known: true };
}

/** Reads the record that the address names. */
async function readOpen() {
  const place = currentPlace();
  const { tab, name, merchant } = place;
  if (name === undefined || !PAGED.includes(tab)) {
    store.open = { place, record: undefined };
    return;
  }
  const record = await read(recordPath(PATHS[tab] ?? tab, name, { merchant })).catch((error) => {
    // No such record, or one of several merchants.
    if (error.status === undefined) throw error;
    return null;
  });
  store.open = { place, record };
}
