/* global crypto, document, EventSource, FormData */
import { byId, once, read, send, worded } from './http.js';
import { offerLanguages, text } from './words.js';

const STEPS = {
  asking: ['done', 'now', ''],
  'awaiting-customer': ['done', 'done', 'now'],
  'awaiting-outcome': ['done', 'now', ''],
  paid: ['done', 'done', 'done'],
  'not-paid': ['done', 'done', 'stopped'],
  'in-review': ['done', 'done', 'now'],
};
const TONES = { paid: 'good', 'not-paid': 'bad' };
const REASONS = ['failed', 'cancelled', 'expired'];

const OPEN = new Set(['asking', 'awaiting-customer', 'awaiting-outcome']);

const form = byId('checkout');
let events;
let shown;
/** Names the order that the form makes. A press of Pay makes no second one until it has ended, or asks for something else. */
let checkout = crypto.randomUUID();
/** What was sent under this name. */
let sent;

offerLanguages();

const { products, phonePage } = await read('shop');
products.forEach(addProduct);
showPrice();
document.addEventListener('language', () => {
  showPrice();
  if (shown) showOrder(shown);
});
form.addEventListener('change', showPrice);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void once(form, byId('checkout-problem'), placeOrder);
});
if (phonePage) byId('phone-link').querySelector('a').href = phonePage;

function addProduct({ id, priceText }, index) {
  const label = document.createElement('label');
  const choice = Object.assign(document.createElement('input'), {
    type: 'radio',
    name: 'product',
    value: id,
  });
  choice.defaultChecked = index === 0;
  const what = Object.assign(document.createElement('span'), { className: 'what' });
  what.append(worded('span', `product.${id}`), worded('small', `product.${id}.note`));
  label.className = 'product';
  label.append(choice, what, Object.assign(document.createElement('b'), { textContent: priceText }));
  byId('products').append(label);
}

function showPrice() {
  const chosen = new FormData(form).get('product');
  const product = products.find(({ id }) => id === chosen);
  byId('pay').textContent = text('pay', { amount: product?.priceText ?? '' });
}

function nextOrder() {
  checkout = crypto.randomUUID();
  sent = undefined;
}

async function placeOrder() {
  const fields = Object.fromEntries(new FormData(form));
  // Another phone must be asked. The first one may have the request of the first order, and may still pay it.
  if (sent && asksForSomethingElse(fields)) {
    byId('earlier').hidden = false;
    nextOrder();
  }
  // Another name or e-mail address asks the same phone for nothing again.
  sent ??= fields;
  const order = await send('orders', { checkout, ...sent }).catch((problem) => {
    if (problem.keys?.some(saysThatNobodyWasAsked)) nextOrder();
    throw problem;
  });
  showOrder(order);
  byId('order').parentElement.scrollIntoView({ block: 'nearest' });
  events?.close();
  events = new EventSource(`orders/${encodeURIComponent(order.reference)}/events`);
  events.addEventListener('message', ({ data }) => showOrder(JSON.parse(data)));
}

function asksForSomethingElse({ product, method, phone }) {
  return product !== sent.product || method !== sent.method || digitsOf(phone) !== digitsOf(sent.phone);
}

/** The same for each spelling of a phone number. */
const digitsOf = (phone) => phone.replace(/\D/g, '').slice(-9);

function saysThatNobodyWasAsked(key) {
  return key === 'problem.nothing' || key.startsWith('wrong.');
}

function showOrder(order) {
  shown = order;
  byId('no-order').hidden = true;
  byId('order').hidden = false;
  byId('order-reference').textContent = order.reference;
  byId('order-amount').textContent = order.amountText;
  STEPS[order.status].forEach((state, index) => (byId('steps').children[index].dataset.state = state));
  const verdict = byId('verdict');
  verdict.dataset.tone = TONES[order.status] ?? 'wait';
  const words = wordsOf(order);
  if (verdict.textContent !== words) verdict.textContent = words;
  // The phone may have the request: nobody may be asked under another reference.
  byId('pay').disabled = order.status === 'awaiting-outcome';
  const isOpen = OPEN.has(order.status);
  byId('phone-link').hidden = !phonePage || !isOpen;
  if (isOpen) return;
  events?.close(); // or the browser would ask again for a stream that has ended
  if (order.reference.endsWith(checkout)) nextOrder();
}

/** A reason is the outcome of the payment, or the code with which the gateway refused it. */
function wordsOf({ status, receipt, reason }) {
  const key = REASONS.includes(reason) ? reason : 'refused';
  return text(`status.${status}`, { receipt, reason: text(`reason.${key}`) });
}
