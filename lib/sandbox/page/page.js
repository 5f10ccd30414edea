/* global EventSource */
// The sandbox's page: reads the lists once, then follows the event stream.
import { EVENTS, read } from './control.js';
import {
  showAll,
  showBaseUrl,
  showCounts,
  showDelivery,
  showLink,
  showPayment,
  showPayout,
  showWallet,
} from './view.js';

const RETRY_MS = 2_000;
const LISTS = ['payments', 'payouts', 'deliveries', 'balance'];
const SHOWS = { payment: showPayment, payout: showPayout, delivery: showDelivery, balance: showWallet };

// Events wait for the lists to be read, so that a list never overwrites something newer.
let work = Promise.resolve();
const enqueue = (step) => (work = work.then(step).then(showCounts, () => showLink('lost', 'Reconnecting')));

async function readAll() {
  const [info, ...answers] = await Promise.all([read('info'), ...LISTS.map(read)]);
  showBaseUrl(info.base_url);
  showAll(Object.fromEntries(answers.map(({ items }, index) => [LISTS[index], items])));
}

function connect() {
  const stream = new EventSource(EVENTS);
  for (const [name, show] of Object.entries(SHOWS)) {
    stream.addEventListener(name, ({ data }) => enqueue(() => show(JSON.parse(data))));
  }
  stream.addEventListener('reset', () => enqueue(readAll));
  stream.addEventListener('open', () => enqueue(() => readAll().then(() => showLink('live', 'Live'))));
  stream.addEventListener('error', () => {
    showLink('lost', 'Reconnecting');
    // The browser reconnects by itself unless the answer was not a stream.
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, RETRY_MS);
  });
}

connect();
