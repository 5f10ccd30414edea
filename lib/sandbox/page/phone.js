/* global document */
// The customer's phone: one card for each waiting payment.
import { decide } from './control.js';
import { announce, busily, byId, showList } from './dom.js';
import { keyOf, newest } from './store.js';
import { money, plain, text, translate } from './words.js';

const OPEN = ['pending', 'processing'];
const KEYS = { a: 'approve', d: 'decline' };
const ignored = new Set();
/** Identifies one request. After a reset, its reference may return, its id does not. */
const requestOf = ({ merchant, provider_reference: id }) => JSON.stringify([merchant, id]);

export function showPhone() {
  const waiting = newest('payments', ({ status }) => OPEN.includes(status));
  const asking = waiting.filter((payment) => !ignored.has(requestOf(payment)));
  const focused = document.activeElement?.closest('.prompt');
  const place = [...byId('prompts').children].indexOf(focused);
  showList(byId('prompts'), asking, keyOf, drawPrompt);
  if (place >= 0 && !document.activeElement?.closest('.prompt')) focusCard(place);
  byId('phone-empty').hidden = asking.length > 0;
  byId('phone-hint').hidden = asking.length === 0;
  byId('ignored').hidden = waiting.length === asking.length;
  byId('show-ignored').textContent = text('ignored', { count: waiting.length - asking.length });
  document.title = asking.length > 0 ? `(${asking.length}) ${text('title')}` : text('title');
}

/** Focuses the card in the place of the removed one, or the last card. */
function focusCard(place) {
  const cards = byId('prompts').children;
  (cards[Math.min(place, cards.length - 1)] ?? byId('phone-title')).focus();
}

function drawPrompt(payment) {
  const card = byId('prompt').content.firstElementChild.cloneNode(true);
  translate(card);
  fill(card, { merchant: payment.merchant, amount: money(payment.amount), reference: payment.reference });
  fill(card, { channel: plain(payment.channel), phone: payment.customer_phone });
  for (const button of card.querySelectorAll('button')) {
    button.addEventListener('click', () => act(card, payment, button.dataset.action));
  }
  card.addEventListener('keydown', (event) => {
    const action = KEYS[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    event.preventDefault();
    act(card, payment, action);
  });
  return card;
}

function fill(card, values) {
  for (const [field, value] of Object.entries(values)) {
    for (const target of card.querySelectorAll(`[data-field="${field}"]`)) target.textContent = value;
  }
}

function act(card, payment, action) {
  if (action === 'ignore') {
    ignored.add(requestOf(payment));
    showPhone();
  } else {
    busily(card, card.querySelector('.problem'), () => decide('payments', payment, action));
  }
}

export function announcePayment(payment, before) {
  const { reference, status } = payment;
  if (!before) announce(text('newRequest', { amount: money(payment.amount), reference }));
  else if (!OPEN.includes(status) && before.status !== status) {
    announce(text('changed', { reference, status: text(`status.${status}`) }));
  }
}

export function listenToPhone() {
  byId('show-ignored').addEventListener('click', () => {
    ignored.clear();
    showPhone();
    focusCard(0);
  });
}
