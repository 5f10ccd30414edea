/* global document, Event, EventSource, FormData */
import { byId, money, once, read, send } from './http.js';

const STEPS = {
  asking: ['done', 'now', ''],
  'awaiting-customer': ['done', 'done', 'now'],
  'awaiting-outcome': ['done', 'now', ''],
  paid: ['done', 'done', 'done'],
  'not-paid': ['done', 'done', 'stopped'],
  'in-review': ['done', 'done', 'now'],
};
const VERDICTS = {
  asking: ['wait', () => 'Asking for the payment.'],
  'awaiting-customer': ['wait', () => 'Approve the request on your phone. This page follows by itself.'],
  'awaiting-outcome': [
    'wait',
    () => 'We wait for the outcome. Please do not pay again: this page follows by itself.',
  ],
  paid: ['good', ({ receipt }) => `Paid. Thank you! Your receipt is ${receipt}.`],
  'not-paid': ['bad', ({ reason }) => `Not paid (${reason}). Nothing was taken; you can try again.`],
  'in-review': ['wait', () => 'Another amount arrived. We look into it and call you.'],
};

const OPEN = new Set(['asking', 'awaiting-customer', 'awaiting-outcome']);

const form = byId('checkout');
let events;

const { products, phonePage } = await read('shop');
products.forEach(addProduct);
showPrice();
form.addEventListener('change', showPrice);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void once(form, byId('checkout-problem'), placeOrder);
});
if (phonePage) byId('phone-link').querySelector('a').href = phonePage;

function addProduct({ id, name, note, price }, index) {
  const label = document.createElement('label');
  const choice = Object.assign(document.createElement('input'), {
    type: 'radio',
    name: 'product',
    value: id,
  });
  choice.defaultChecked = index === 0;
  const what = Object.assign(document.createElement('span'), { className: 'what', textContent: name });
  what.append(Object.assign(document.createElement('small'), { textContent: note }));
  label.className = 'product';
  label.append(choice, what, Object.assign(document.createElement('b'), { textContent: money(price) }));
  byId('products').append(label);
}

function showPrice() {
  const chosen = new FormData(form).get('product');
  const product = products.find(({ id }) => id === chosen);
  byId('pay').textContent = product ? `Pay ${money(product.price)}` : 'Pay';
}

async function placeOrder() {
  const order = await send('orders', Object.fromEntries(new FormData(form)));
  showOrder(order);
  byId('order').parentElement.scrollIntoView({ block: 'nearest' });
  events?.close();
  events = new EventSource(`orders/${encodeURIComponent(order.reference)}/events`);
  events.addEventListener('message', ({ data }) => showOrder(JSON.parse(data)));
}

function showOrder(order) {
  const [tone, words] = VERDICTS[order.status];
  byId('no-order').hidden = true;
  byId('order').hidden = false;
  byId('order-reference').textContent = order.reference;
  byId('order-amount').textContent = money(order.amount);
  STEPS[order.status].forEach((state, index) => (byId('steps').children[index].dataset.state = state));
  const verdict = byId('verdict');
  verdict.dataset.tone = tone;
  if (verdict.textContent !== words(order)) verdict.textContent = words(order);
  const isOpen = OPEN.has(order.status);
  byId('phone-link').hidden = !phonePage || !isOpen;
  if (!isOpen) {
    events?.close(); // or the browser would ask again for a stream that has ended
    document.dispatchEvent(new Event('balance'));
  }
}
