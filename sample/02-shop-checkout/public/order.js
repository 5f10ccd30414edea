/* global document, EventSource, FormData, location, URLSearchParams */
import { byId, money, once, read, send } from './http.js';
import { mayPay, verdictOf } from './verdicts.js';

const number = new URLSearchParams(location.search).get('number') ?? '';
const path = `orders/${encodeURIComponent(number)}`;
const form = byId('again');
const AGAIN_AFTER_MS = 3_000;
let events;
let version = 0;

await once(form, byId('problem'), async () => {
  const { phonePage } = await read('catalogue');
  if (phonePage) byId('phone-page').href = phonePage;
  show(await read(path));
});
if (version > 0 && byId('order').dataset.tone !== 'good') follow();
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void once(form, byId('problem'), payAgain);
});

/** The shop sends the current state first, so a reconnecting browser misses nothing. */
function follow() {
  events = new EventSource(`${path}/events`);
  events.addEventListener('order', ({ data }) => show(JSON.parse(data)));
  events.addEventListener('open', () => (byId('connection').textContent = ''));
  events.addEventListener('error', () => {
    byId('connection').textContent = 'Connecting again …';
    // After an answer that is not a stream, such as a proxy's during a deployment, the browser gives up.
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, AGAIN_AFTER_MS);
  });
}

async function payAgain() {
  const { phone } = Object.fromEntries(new FormData(form));
  show(await send(`${path}/pay`, phone === '' ? {} : { phone }));
}

/** An answer and an event may overtake each other. */
function show(order) {
  if (order.version < version) return;
  version = order.version;
  const { tone, headline, words } = verdictOf(order);
  document.title = `${headline} – Soko la Pwani`;
  byId('order').hidden = false;
  byId('order').dataset.tone = tone;
  write('headline', headline);
  write('words', words);
  write('product', order.product);
  write('amount', money(order.amount));
  write('phone', `ends in ${order.phoneEnding}`);
  write('number', order.number);
  byId('phone-link').hidden = tone !== 'wait' || !byId('phone-page').href;
  form.hidden = !mayPay(order);
  write('pay', order.state === 'placed' ? `Pay ${money(order.amount)}` : `Try again: ${money(order.amount)}`);
  if (order.state === 'paid') events?.close(); // or the browser would ask again for a stream that has ended
}

/** Writes only changed text, because screen readers read it out. */
function write(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}
