/* global document, EventSource, FormData, location, window */
import { byId, once, read, send } from './http.js';
import { rememberOrder } from './last-order.js';
import { PayAgain } from './pay-again.js';
import { verdictOf } from './verdicts.js';
import { offerLanguages, text } from './words.js';

const number = decodeURIComponent(location.pathname.split('/').at(-1));
const path = `orders/${encodeURIComponent(number)}`;
const AGAIN_AFTER_MS = 3_000;
// In a frame the phone is beside the shop.
const isFramed = window.top !== window;
const again = new PayAgain(byId('again'));
let events;
let shown;

offerLanguages();
document.addEventListener('language', () => {
  if (shown) show(shown);
});

await once(byId('order'), byId('missing'), async () => {
  const { phonePage } = await read('catalogue');
  if (phonePage && !isFramed) byId('phone-page').href = phonePage;
  show(await read(path));
  rememberOrder(number);
});
if (shown && shown.state !== 'paid') follow();
byId('again').addEventListener('submit', (event) => {
  event.preventDefault();
  void once(byId('again'), byId('problem'), payAgain);
});

/** The shop sends the current state first, so a reconnecting browser misses nothing. */
function follow() {
  events = new EventSource(`/api/${path}/events`);
  events.addEventListener('order', ({ data }) => show(JSON.parse(data)));
  events.addEventListener('open', () => (byId('connection').textContent = ''));
  events.addEventListener('error', () => {
    byId('connection').textContent = text('connecting');
    // After an answer that is not a stream, such as a proxy's during a deployment, the browser gives up.
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, AGAIN_AFTER_MS);
  });
}

async function payAgain() {
  const { phone } = Object.fromEntries(new FormData(byId('again')));
  show(await send(`${path}/pay`, phone ? { phone } : {}));
}

/** An answer and an event may overtake each other. */
function show(order) {
  if (shown && order.version < shown.version) return;
  shown = order;
  const { tone, headline, words } = verdictOf(order);
  document.title = `${headline} – Soko la Pwani`;
  byId('order').hidden = false;
  byId('order').dataset.tone = tone;
  write('headline', headline);
  write('words', words);
  write('product', text(`product.${order.product}`));
  write('amount', order.amountText);
  write('phone', text('phoneEnding', { ending: order.phoneEnding }));
  write('number', order.number);
  byId('phone-link').hidden = tone !== 'wait' || !byId('phone-page').href;
  again.show(order);
  if (order.state === 'paid') events?.close(); // or the browser would ask again for a stream that has ended
}

/** Writes only changed text, because screen readers read it out. */
function write(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}
