// The tables.
import { decide, remove, statementOf } from './control.js';
import { busily, button, byId, make, shortened, showList, statusOf } from './dom.js';
import { listPlace, matches } from './filters.js';
import { showPager } from './paging.js';
import { LISTS, PAGED, store } from './store.js';
import { ruleText } from './story.js';
import { currentPlace, placeOf } from './tabs.js';
import { count, dayOf, money, text, timeOn } from './words.js';

const cell = (...children) => make('td', {}, ...children);
const wide = (...children) => make('td', { class: 'wide' }, ...children);
/** Not on the narrowest screens, where it stands below the head. */
const roomy = (...children) => make('td', { class: 'roomy' }, ...children);
const tiny = (...children) => make('span', { class: 'tiny' }, ...children);
const wider = (...children) => make('td', { class: 'wider' }, ...children);
const number = (words, width = '') => make('td', { class: `number ${width}` }, words);
const row = (head, ...cells) => make('tr', {}, make('th', { scope: 'row' }, ...head), ...cells);
const timeOf = (iso) => make('time', { datetime: iso }, timeOn(iso, store.clock.now));

/** On narrow screens, which hide these columns, shows them below the row's head. */
const below = (...parts) =>
  make(
    'span',
    { class: 'narrow' },
    ...parts.map((part) => (typeof part === 'string' ? make('span', {}, part) : part)),
  );

/** A link to a record. It names the merchant if there are several. */
function linkTo(tab, { merchant, reference }) {
  const several = store.balance.items.length > 1;
  const place = several ? listPlace(tab, reference, merchant) : listPlace(tab, reference);
  return shortened(reference, 'a', { href: place });
}

/** How a webhook fares. One whose last try failed is red at once, with the time of the next one. */
export function webhookStatus({ state, problem, next_attempt_at: next }) {
  if (state !== 'waiting' || problem === null) return [statusOf(state)];
  const later = next === null ? [] : [make('span', { class: 'next' }, `${text('nextTry')} `, timeOf(next))];
  return [statusOf('failing'), ...later];
}

/** Where the column of the webhook is hidden, a failing one still shows. */
const failingWebhook = (webhook) =>
  webhook && webhook.problem !== null && webhook.state !== 'delivered'
    ? [make('span', { class: 'narrow until-wider' }, text('column.webhook'), ...webhookStatus(webhook))]
    : [];

const problemOf = ({ attempts }) => attempts.at(-1)?.problem ?? null;

/** The three possible outcomes of an open payout. */
export function payoutChoice(payout) {
  const problem = make('p', { class: 'problem', role: 'alert' });
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
  const problem = make('p', { class: 'problem', role: 'alert' });
  const made = button(text('remove'), () => busily(made, problem, () => remove(`faults/${id}`)), {
    class: 'quiet',
  });
  made.append(make('span', { class: 'unseen' }, ` ${operation}`));
  return [made, problem];
}

/** Lets the browser keep the file. */
const statementLink = ({ merchant }) =>
  make(
    'a',
    { href: statementOf(merchant), download: 'statement.csv' },
    text('statement'),
    make('span', { class: 'unseen' }, ` ${merchant}`),
  );

function faultText(fault) {
  const { kind, status, code, duration_ms: duration, retry_after: retryAfter, probability } = fault;
  const extra = status ?? (duration === null ? '' : `${duration} ms`);
  const parts = [`${text(`fault.${kind}`)} ${extra}`.trim(), code ?? ''];
  if (fault.after_processing) parts.push(text('call.processed'));
  if (retryAfter !== null) parts.push(`Retry-After ${retryAfter}`);
  if (probability < 1) parts.push(text('chance', { percent: Number((probability * 100).toFixed(2)) }));
  return parts.filter((part) => part !== '').join(' · ');
}

/** What the search of a list that the page holds whole looks at: the texts of its rows. */
const TEXTS = {
  balance: ({ merchant, available_balance: available, locked_balance: locked }) => [
    merchant,
    money(available),
    money(locked),
  ],
  faults: (fault) =>
    [fault.operation, fault.merchant, fault.reference, faultText(fault), leftOf(fault)].filter(
      (part) => part !== null,
    ),
};

const leftOf = ({ left }) => (left === null ? text('untilRemoved') : String(left));

const ROWS = {
  payments: (payment) =>
    row(
      [
        linkTo('payments', payment),
        below(tiny(statusOf(payment.status)), money(payment.amount), timeOf(payment.created_at)),
        ...failingWebhook(payment.webhook),
      ],
      number(money(payment.amount), 'wide'),
      roomy(statusOf(payment.status)),
      wider(...(payment.webhook === null ? [] : webhookStatus(payment.webhook))),
      wide(timeOf(payment.created_at)),
    ),
  payouts: (payout) =>
    row(
      [
        linkTo('payouts', payout),
        below(tiny(statusOf(payout.status)), money(payout.amount), timeOf(payout.created_at)),
        ...payoutChoice(payout),
      ],
      number(money(payout.amount), 'wide'),
      roomy(statusOf(payout.status)),
      wider(payout.bank_code ?? payout.network ?? ''),
      wide(timeOf(payout.created_at)),
    ),
  webhooks: (delivery) => {
    const { id, event, reference, attempts } = delivery;
    const last = attempts.at(-1);
    const fares = () => webhookStatus({ ...delivery, problem: problemOf(delivery) });
    return row(
      [
        make('a', { href: listPlace('webhooks', id), 'aria-label': `${event} ${reference}` }, event),
        shortened(reference),
        below(tiny(...fares()), ...(last ? [timeOf(last.at)] : [])),
      ],
      roomy(...fares()),
      number(String(attempts.length), 'wider'),
      wide(...(last ? [timeOf(last.at)] : [])),
    );
  },
  requests: (request) => {
    const { id, method, path, at, rule, code } = request;
    const reference = request.body?.reference;
    return row(
      [
        shortened(`${method} ${path.replace('/api/v1', '')}`, 'a', { href: listPlace('requests', id) }),
        ...(typeof reference === 'string' ? [shortened(reference)] : []),
        ...(code === null ? [] : [shortened(code)]),
        below(timeOf(at)),
      ],
      cell(answerOf({ ...request, code: null })),
      make('td', { class: 'wider words' }, ruleText(rule)),
      wide(timeOf(at)),
    );
  },
  balance: (wallet) =>
    row(
      [
        shortened(wallet.merchant),
        below(
          tiny(money(wallet.available_balance)),
          `${text('column.locked')} ${money(wallet.locked_balance)}`,
        ),
        statementLink(wallet),
      ],
      number(money(wallet.available_balance), 'roomy'),
      number(money(wallet.locked_balance), 'wide'),
    ),
  faults: (fault) =>
    row(
      [
        shortened(fault.operation),
        ...[fault.merchant, fault.reference].filter((part) => part !== null).map((part) => shortened(part)),
        below(make('span', { class: 'words' }, faultText(fault))),
        make('span', { class: 'narrow until-wider' }, `${text('column.left')}: ${leftOf(fault)}`),
      ],
      make('td', { class: 'wide words' }, faultText(fault)),
      wider(leftOf(fault)),
      cell(...removeFault(fault)),
    ),
};

/** Faults that change when an answer comes. Every other one takes the answer away, replaces it or spoils it. */
const DELAYS = ['delay', 'drip', null];

/** How a call was answered. It went wrong as for the filter of the control API: a refusal may have a 2xx. */
export function answerOf({ status, code, reason = null, fault = null }) {
  if (status === null) return statusOf('failed', text('status.none'));
  const isFine = status < 400 && reason === null && DELAYS.includes(fault);
  return statusOf(isFine ? 'success' : 'failed', code === null ? String(status) : `${status} ${code}`);
}

/** Shows the items of a list that are in view, the newest first. */
export function showTable(name) {
  const { items, total, known } = store[name];
  const shown = PAGED.includes(name)
    ? items.toReversed()
    : items.filter((item) => matches(name, TEXTS[name](item)));
  const draw = ROWS[name];
  // A time shows its date on another day, and a link its merchant beside others, and the filters of the list.
  const around = [store.clock && dayOf(store.clock.now), store.balance.items.length > 1, listPlace(name)];
  showList(byId(`rows-${name}`), shown, LISTS[name], draw, around);
  markOpen(name);
  const list = byId(`list-${name}`);
  list.querySelector('table').hidden = shown.length === 0;
  byId(`empty-${name}`).hidden = !known || total > 0;
  list.querySelector('.nothing').hidden = !known || total === 0 || shown.length > 0;
  if (PAGED.includes(name)) showPager(name);
}

function markOpen(name) {
  const { tab, name: reference, merchant } = currentPlace();
  const open = [placeOf(tab, reference ?? ''), placeOf(tab, reference ?? '', merchant ?? '')];
  for (const link of byId(`rows-${name}`).querySelectorAll('a')) {
    if (open.includes(link.hash.split('?')[0])) link.ariaCurrent = 'true';
    else link.ariaCurrent = null;
  }
}

export function showCounts() {
  for (const name of Object.keys(LISTS)) {
    const { total } = store[name];
    byId(`count-${name}`).textContent = total > 0 ? count(total) : '';
  }
}
