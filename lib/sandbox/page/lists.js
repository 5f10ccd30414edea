// The tables.
import { decide, remove } from './control.js';
import { busily, button, byId, make, showList, statusOf } from './dom.js';
import { LISTS, newest, store } from './store.js';
import { placeOf } from './tabs.js';
import { money, text, time } from './words.js';

const cell = (...children) => make('td', {}, ...children);
const wide = (...children) => make('td', { class: 'wide' }, ...children);
const timeOf = (iso) => make('time', { datetime: iso }, time(iso));
const row = (head, ...cells) => make('tr', {}, make('th', { scope: 'row' }, head), ...cells);

/** On narrow screens, which hide the column, shows the amount below the reference. */
const withAmount = (link, { amount }) =>
  make('span', {}, link, make('span', { class: 'narrow' }, money(amount)));

/** A link to a record. It names the merchant if several have the reference. */
function linkTo(tab, { merchant, reference }) {
  const namesakes = [...store[tab].values()].filter((other) => other.reference === reference);
  const place = namesakes.length > 1 ? placeOf(tab, reference, merchant) : placeOf(tab, reference);
  return make('a', { href: place }, reference);
}

function webhookOf({ merchant, reference }) {
  const theirs = [...store.webhooks.values()].filter(
    (delivery) => delivery.merchant === merchant && delivery.reference === reference,
  );
  const last = theirs.at(-1);
  return last ? statusOf(last.state) : '';
}

/** The three possible outcomes of an open payout. */
export function payoutChoice(payout) {
  const problem = make('p', { class: 'problem', role: 'alert', lang: 'en' });
  const choice = make('p', { class: 'choice' });
  for (const action of ['pay', 'fail', 'cancel']) {
    const name = make('span', { class: 'unseen' }, ` ${payout.reference}`);
    const press = () => busily(choice, problem, () => decide('payouts', payout, action));
    const made = button(text(action), press, { class: action === 'pay' ? 'strong' : 'quiet' });
    made.append(name);
    choice.append(made);
  }
  return payout.settled_at === null ? [choice, problem] : [];
}

function removeFault({ id, operation }) {
  const problem = make('p', { class: 'problem', role: 'alert', lang: 'en' });
  const made = button(text('remove'), () => busily(made, problem, () => remove(`faults/${id}`)), {
    class: 'quiet',
  });
  made.append(make('span', { class: 'unseen' }, ` ${operation}`));
  return [made, problem];
}

function faultText({ kind, status, duration_ms: duration }) {
  const extra = status ?? (duration === null ? '' : `${duration} ms`);
  return `${text(`fault.${kind}`)} ${extra}`.trim();
}

const ROWS = {
  payments: (payment) =>
    row(
      withAmount(linkTo('payments', payment), payment),
      wide(money(payment.amount)),
      cell(statusOf(payment.status)),
      wide(webhookOf(payment)),
      wide(timeOf(payment.created_at)),
    ),
  payouts: (payout) =>
    row(
      withAmount(linkTo('payouts', payout), payout),
      wide(money(payout.amount)),
      cell(statusOf(payout.status), ...payoutChoice(payout)),
      wide(payout.bank_code ?? payout.network ?? ''),
      wide(timeOf(payout.created_at)),
    ),
  webhooks: (delivery) =>
    row(
      make('a', { href: placeOf('webhooks', delivery.id) }, `${delivery.event} ${delivery.reference}`),
      cell(statusOf(delivery.state)),
      wide(String(delivery.attempts.length)),
      wide(...(delivery.attempts.length > 0 ? [timeOf(delivery.attempts.at(-1).at)] : [])),
    ),
  requests: (request) =>
    row(
      make(
        'a',
        { href: placeOf('requests', request.id) },
        `${request.method} ${request.path.replace('/api/v1', '')}`,
      ),
      cell(answerOf(request)),
      wide(request.rule ?? ''),
      wide(timeOf(request.at)),
    ),
  balance: (wallet) =>
    row(wallet.merchant, cell(money(wallet.available_balance)), cell(money(wallet.locked_balance))),
  faults: (fault) =>
    row(
      fault.operation + (fault.reference === null ? '' : ` ${fault.reference}`),
      cell(faultText(fault)),
      wide(fault.left === null ? text('untilRemoved') : String(fault.left)),
      cell(...removeFault(fault)),
    ),
};

export function answerOf({ status, code }) {
  if (status === null) return statusOf('failed', text('status.none'));
  return statusOf(status < 400 ? 'success' : 'failed', code === null ? String(status) : `${status} ${code}`);
}

export function showTable(name) {
  const items = newest(name);
  const key = LISTS[name];
  const draw = ROWS[name];
  // A payment's row also shows its webhook, so it changes with it.
  const rows = name === 'payments' ? items.map((item) => ({ item, webhook: webhookState(item) })) : undefined;
  if (rows)
    showList(
      byId('rows-payments'),
      rows,
      ({ item }) => key(item),
      ({ item }) => draw(item),
    );
  else showList(byId(`rows-${name}`), items, key, draw);
  byId(`empty-${name}`).hidden = items.length > 0;
  const list = byId(`list-${name}`);
  list.querySelector('table').hidden = items.length === 0;
  const more = list.querySelector('.more');
  more.hidden = store[name].size === items.length;
  more.textContent = text('newest', { count: items.length });
}

function webhookState(payment) {
  return webhookOf(payment).textContent ?? '';
}

export function showCounts() {
  for (const name of Object.keys(LISTS)) {
    byId(`count-${name}`).textContent = store[name].size > 0 ? String(store[name].size) : '';
  }
}
