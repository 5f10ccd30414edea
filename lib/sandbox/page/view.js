/* global document */
// What the page shows. Values from outside reach it through textContent only.
import { decide } from './control.js';

const FINAL = new Set(['success', 'paid', 'failed', 'cancelled', 'expired']);
const ICONS = { paid: 'success' };

const byId = (id) => document.getElementById(id);
const keyOf = ({ merchant, reference }) => JSON.stringify([merchant, reference]);

/** One list on the page: an element per record, filled in place so that the focus survives an update. */
function listOf(id, template) {
  const list = byId(id);
  const elements = new Map();
  return {
    get: (key) => elements.get(key),
    ensure(key, place) {
      const known = elements.get(key);
      if (known) return known;
      const element = byId(template).content.firstElementChild.cloneNode(true);
      elements.set(key, element);
      list[place](element);
      return element;
    },
    remove(key) {
      elements.get(key)?.remove();
      elements.delete(key);
    },
    clear() {
      elements.clear();
      list.replaceChildren();
    },
    first: () => list.querySelector('button'),
    size: () => elements.size,
  };
}

const prompts = listOf('prompts', 'prompt');
const payments = listOf('payments', 'row');
const payouts = listOf('payouts', 'row');
const wallets = listOf('wallets', 'wallet');
let announcing = false;

function fill(element, values) {
  for (const [field, value] of Object.entries(values)) {
    for (const target of element.querySelectorAll(`[data-field="${field}"]`)) {
      if (target.textContent !== value) target.textContent = value;
    }
  }
}

function money(amount) {
  const [whole, cents] = (typeof amount === 'number' ? amount.toFixed(2) : amount).split('.');
  return `TZS ${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${cents && cents !== '00' ? `.${cents}` : ''}`;
}

const timeOf = (iso) => new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
const wordsOf = (token) => token.replaceAll('_', ' ').toLowerCase();

function announce(text) {
  if (announcing) byId('announcer').textContent = text;
}

function fillRow(element, record) {
  fill(element, { reference: record.reference, amount: money(record.amount), status: record.status });
  fill(element, { merchant: record.merchant, time: timeOf(record.created_at) });
  const status = element.querySelector('[data-part=status]');
  status.dataset.status = record.status;
  status.querySelector('use').setAttribute('href', `#icon-${ICONS[record.status] ?? record.status}`);
}

export function showPayment(payment) {
  const key = keyOf(payment);
  const row = payments.ensure(key, 'prepend');
  const changed = row.querySelector('[data-field=status]').textContent !== payment.status;
  fillRow(row, payment);
  fill(row, { channel: wordsOf(payment.channel) });
  if (FINAL.has(payment.status)) {
    removePrompt(key);
    if (changed) announce(`${payment.reference}: ${payment.status}`);
  } else {
    showPrompt(key, payment);
  }
}

function showPrompt(key, payment) {
  const isNew = !prompts.get(key);
  const prompt = prompts.ensure(key, 'prepend'); // where a phone shows the newest, too
  fill(prompt, { merchant: payment.merchant, amount: money(payment.amount), reference: payment.reference });
  fill(prompt, { channel: wordsOf(payment.channel), phone: payment.customer_phone });
  if (!isNew) return;
  onDecision(prompt, 'payments', payment);
  announce(`New request: ${money(payment.amount)} for ${payment.reference}`);
}

function removePrompt(key) {
  const hadFocus = prompts.get(key)?.contains(document.activeElement);
  prompts.remove(key);
  if (hadFocus) (prompts.first() ?? byId('phone-title')).focus();
}

export function showPayout(payout) {
  const key = keyOf(payout);
  const isNew = !payouts.get(key);
  const row = payouts.ensure(key, 'prepend');
  const changed = row.querySelector('[data-field=status]').textContent !== payout.status;
  fillRow(row, payout);
  fill(row, { channel: payout.bank_code ?? wordsOf(payout.network ?? '') });
  const choice = row.querySelector('[data-part=choice]');
  if (choice.contains(document.activeElement) && FINAL.has(payout.status)) byId('phone-title').focus();
  choice.hidden = FINAL.has(payout.status);
  if (isNew) onDecision(row, 'payouts', payout);
  if (changed) announce(`Payout ${payout.reference}: ${payout.status}`);
}

export function showDelivery(delivery) {
  const row = payments.get(keyOf(delivery));
  if (!row) return;
  const webhook = webhookText(delivery);
  fill(row, { webhook });
  row.querySelector('.webhook').dataset.state = webhook.startsWith('Webhook failed')
    ? 'failed'
    : delivery.state;
}

function webhookText({ state, attempts, status, next_attempt_at: next }) {
  if (state === 'delivered')
    return `Webhook answered ${status}${attempts.length > 1 ? ` at try ${attempts.length}` : ''}`;
  if (state === 'skipped') return 'No webhook sent: no address is set';
  const problem = attempts.at(-1)?.problem;
  if (!problem) return 'Webhook on its way';
  return `Webhook failed: ${problem}. ${next ? `Next try ${timeOf(next)}` : 'No more tries'}`;
}

export function showWallet(wallet) {
  const locked = wallet.locked_balance > 0 ? `${money(wallet.locked_balance)} locked` : '';
  const merchant = `${wallet.merchant}’s wallet`;
  fill(wallets.ensure(wallet.merchant, 'append'), {
    merchant,
    available: money(wallet.available_balance),
    locked,
  });
}

function onDecision(element, collection, record) {
  const press = async ({ currentTarget }) => {
    // Not `disabled`: a disabled button drops the focus.
    if (element.ariaBusy === 'true') return;
    element.ariaBusy = 'true';
    fill(element, { problem: '' });
    await decide(collection, record, currentTarget.dataset.action).catch(({ message }) => {
      fill(element, { problem: message });
    });
    element.ariaBusy = 'false';
  };
  for (const button of element.querySelectorAll('button')) button.addEventListener('click', press);
}

/** Shows these lists instead of what stood there, without announcing each line. */
export function showAll(lists) {
  announcing = false;
  for (const list of [prompts, payments, payouts, wallets]) list.clear();
  lists.payments.forEach(showPayment);
  lists.payouts.forEach(showPayout);
  lists.deliveries.forEach(showDelivery);
  lists.balance.forEach(showWallet);
  announcing = true;
}

export function showBaseUrl(address) {
  byId('base-url').textContent = address;
}

export function showCounts() {
  byId('phone-empty').hidden = prompts.size() > 0;
  for (const [id, list] of Object.entries({ payments, payouts })) {
    byId(`${id}-count`).textContent = String(list.size());
    byId(`${id}-empty`).hidden = list.size() > 0;
  }
  document.title = prompts.size() > 0 ? `(${prompts.size()}) Payments sandbox` : 'Payments sandbox';
}

export function showLink(state, text) {
  byId('link').dataset.state = state;
  byId('link-text').textContent = text;
}
