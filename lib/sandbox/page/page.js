/* global EventSource, document, window */
// The sandbox's page reads the lists once, then follows the event stream.
import { EVENTS, read } from './control.js';
import { showDetail } from './details.js';
import { byId } from './dom.js';
import { listenToForms, showClock } from './forms.js';
import { showCounts, showTable } from './lists.js';
import { listenToPhone, showPhone, announcePayment } from './phone.js';
import { fill, keyOf, LISTS, put, store, setClock } from './store.js';
import { currentPlace, listenToTabs, showTab } from './tabs.js';
import { currentLanguage, setLanguage, text } from './words.js';

const RETRY_MS = 2_000;
const MESSAGES = ['payment', 'payout', 'delivery', 'request', 'balance', 'faults', 'clock'];
const PATHS = { webhooks: 'deliveries' };

let link = 'connecting';
let drawing = false;

/** Draws once for all messages of one moment. */
function draw() {
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    show();
  });
}

function show(moved = false) {
  const place = currentPlace();
  showTab(place.tab);
  if (place.tab in LISTS) showTable(place.tab);
  showDetail(place, moved);
  showPhone();
  showCounts();
  showClock();
  byId('link').dataset.state = link;
  if (byId('link-text').textContent !== text(link)) byId('link-text').textContent = text(link);
}

async function readAll() {
  const names = Object.keys(LISTS);
  const [clock, ...lists] = await Promise.all([
    read('clock'),
    ...names.map((name) => read(PATHS[name] ?? name)),
  ]);
  setClock(clock);
  names.forEach((name, index) => fill(name, lists[index].items));
}

// Messages wait until the lists are read, so that a list never overwrites newer data.
let work = Promise.resolve();
function enqueue(step) {
  work = work.then(step).then(draw, () => {
    link = 'lost';
    draw();
  });
}

function connect() {
  const stream = new EventSource(EVENTS);
  for (const name of MESSAGES) {
    stream.addEventListener(name, ({ data }) => enqueue(() => take(name, JSON.parse(data))));
  }
  stream.addEventListener('reset', () => enqueue(readAll));
  stream.addEventListener('open', () => enqueue(() => readAll().then(() => (link = 'live'))));
  stream.addEventListener('error', () => {
    link = 'lost';
    draw();
    // The browser reconnects by itself unless the answer was not a stream.
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, RETRY_MS);
  });
}

function take(name, value) {
  if (name === 'payment') announcePayment(value, store.payments.get(keyOf(value)));
  put(name, value);
}

byId('language').value = currentLanguage();
byId('language').addEventListener('change', ({ currentTarget }) => {
  setLanguage(currentTarget.value);
  show();
});
window.addEventListener('hashchange', () => show(currentPlace().name !== undefined));
document.addEventListener('visibilitychange', draw);
listenToTabs();
listenToPhone();
listenToForms();
setLanguage(currentLanguage());
setInterval(showClock, 1_000);
show();
connect();
