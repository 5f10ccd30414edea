/* global document, performance */
// The customer's phone: one card for each waiting payment.
import { decide } from './control.js';
import { announce, busily, byId, shortened, showList } from './dom.js';
import { keyOf, store } from './store.js';
import { count, money, plain, text, translate } from './words.js';

const OPEN = ['pending', 'processing'];
const KEYS = { a: 'approve', d: 'decline' };
const ignored = new Set();
/** As long as a click may take that was meant for the card that stood there. */
const SETTLES_MS = 500;
/** Cards that keep moving, as in a load test, can be decided in between. */
const LONGEST_SETTLING_MS = 1_000;
let settling;
let movingSince = 0;
let movedAt = -Infinity;
/** Whether the focus is on a card that nobody chose: the card before it ended by itself. */
let isFocusForeign = false;
let decided;
/** Identifies one request. After a reset, its reference may return, its id does not. */
const requestOf = ({ merchant, provider_reference: id }) => JSON.stringify([merchant, id]);

export function showPhone() {
  const { found } = store.waiting;
  const waiting = store.waiting.items.toReversed();
  const asking = waiting.filter((payment) => !ignored.has(requestOf(payment)));
  const focused = document.activeElement?.closest('.prompt');
  const place = [...byId('prompts').children].indexOf(focused);
  const before = cardKeys();
  showList(byId('prompts'), asking, keyOf, drawPrompt);
  if (cardKeys() !== before) settle();
  markSettling();
  if (place >= 0 && !document.activeElement?.closest('.prompt')) {
    focusCard(place);
    isFocusForeign = ![decided, document.activeElement.dataset.key].includes(focused.dataset.key);
  }
  oneInTabOrder();
  const left = found - waiting.length + asking.length;
  byId('phone-empty').hidden = asking.length > 0;
  byId('phone-hint').hidden = asking.length === 0;
  byId('waiting').textContent = left > 1 ? text('waiting', { count: count(left) }) : '';
  byId('ignored').hidden = waiting.length === asking.length;
  byId('show-ignored').textContent = text('ignored', { count: waiting.length - asking.length });
  document.title = left > 0 ? `(${left}) ${text('title')}` : text('title');
}

const cardKeys = () => [...byId('prompts').children].map(({ dataset }) => dataset.key).join('\n');

/** Cards that have just moved take no click: the second one of a double-click would decide another payment. */
function settle() {
  const now = performance.now();
  if (now - movedAt > SETTLES_MS) movingSince = now;
  movedAt = now;
  if (now - movingSince > LONGEST_SETTLING_MS) return;
  clearTimeout(settling);
  settling = setTimeout(() => {
    settling = undefined;
    isFocusForeign = false;
    markSettling();
  }, SETTLES_MS);
}

function markSettling() {
  for (const button of byId('prompts').querySelectorAll('button')) {
    // Not `disabled`: a disabled button drops the focus.
    button.ariaDisabled = String(settling !== undefined);
  }
}

/** Tab reaches one card, the focused one or the newest; j and k lead to the others. */
function oneInTabOrder() {
  const cards = [...byId('prompts').children];
  const focused = cards.findIndex((card) => card.contains(document.activeElement));
  for (const [index, card] of cards.entries()) {
    const tabIndex = index === Math.max(focused, 0) ? 0 : -1;
    for (const element of [card, ...card.querySelectorAll('button')]) element.tabIndex = tabIndex;
  }
}

/** Focuses the card that stands where the removed one stood, or the last card. */
function focusCard(place) {
  const cards = byId('prompts').children;
  (cards[Math.min(place, cards.length - 1)] ?? byId('phone-title')).focus();
}

function drawPrompt(payment) {
  const card = byId('prompt').content.firstElementChild.cloneNode(true);
  translate(card);
  fill(card, { merchant: payment.merchant, amount: money(payment.amount), reference: payment.reference });
  card.querySelector('.reference').append(shortened(payment.reference));
  fill(card, { channel: plain(payment.channel), phone: payment.customer_phone });
  for (const button of card.querySelectorAll('button')) {
    button.addEventListener('click', ({ detail: clicks }) => {
      if (settling === undefined || (clicks === 0 && !isFocusForeign))
        act(card, payment, button.dataset.action);
    });
  }
  card.addEventListener('keydown', (event) => {
    const action = KEYS[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    event.preventDefault();
    if (!isFocusForeign) act(card, payment, action);
  });
  return card;
}

function fill(card, values) {
  for (const [field, value] of Object.entries(values)) {
    for (const target of card.querySelectorAll(`[data-field="${field}"]`)) target.textContent = value;
  }
}

function act(card, payment, action) {
  decided = card.dataset.key;
  if (action === 'ignore') {
    ignored.add(requestOf(payment));
    showPhone();
  } else {
    busily(card, card.querySelector('.problem'), () => decide('payments', payment, action));
  }
}

/** A payment is told of twice: when it asks, and when it has ended. */
export function announcePayment({ amount, reference, status }) {
  if (status === 'pending') announce(text('newRequest', { amount: money(amount), reference }));
  else if (!OPEN.includes(status)) {
    announce(text('changed', { reference, status: text(`status.${status}`) }));
  }
}

/** Cards that are read beside those that show. */
export const ignoredCount = () => ignored.size;

export function listenToPhone() {
  byId('prompts').addEventListener('focusin', oneInTabOrder);
  byId('show-ignored').addEventListener('click', () => {
    ignored.clear();
    showPhone();
    focusCard(0);
  });
}
