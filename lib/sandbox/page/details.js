/* global document */
// The details of one payment, payout, webhook or request.
import { write } from './control.js';
import { busily, button, byId, facts, make, statusOf, wrapped } from './dom.js';
import { copy, copyButton } from './copying.js';
import { curlOf } from './curl.js';
import { decisionsOf } from './decision-forms.js';
import { listPlace } from './filters.js';
import { problemLine } from './fields.js';
import { linksOf } from './links.js';
import { headerText, indented, requestParts } from './request.js';
import { webhookStatus } from './lists.js';
import { store } from './store.js';
import { entryTexts, problemText } from './story.js';
import { placeOf } from './tabs.js';
import { currentLanguage, moment, money, plain, text, time, timeOn } from './words.js';

// Links to other records appear after the details.
const FOCUSABLE = 'a:not(.links a), button, pre, summary, input';

const code = (value) => make('pre', { tabindex: '0' }, value);
const heading = (key, gaps) => make('h4', {}, text(key, gaps));

let toFocus = false;

/** Shows the record that the address names, beside its list or in place of it. */
export function showDetail(place, moved) {
  const { tab, name } = place;
  const one = byId(`one-${tab}`);
  if (!one || !(tab in DETAILS)) return;
  byId(`panel-${tab}`).classList.toggle('split', name !== undefined);
  one.hidden = name === undefined;
  toFocus = name !== undefined && (toFocus || moved);
  const { place: known, record } = store.open;
  const read = JSON.stringify(known) === JSON.stringify(place) && record !== undefined;
  if (!read && one.dataset.name === name) return;
  const state = JSON.stringify([currentLanguage(), place, record]);
  if (!read) {
    one.replaceChildren();
    delete one.dataset.state;
  } else if (one.dataset.state !== state) {
    one.dataset.state = state;
    draw(one, tab, name, record);
  }
  if (read && toFocus) {
    toFocus = false;
    one.querySelector('h3').focus();
  }
}

function draw(one, tab, name, record) {
  const back = make('a', { href: listPlace(tab), class: 'back' }, `← ${text('all')}`);
  const title = make('h3', { tabindex: '-1' }, wrapped(record ? titleOf(tab, record) : name));
  const parts = record ? DETAILS[tab](record) : [make('p', { class: 'empty' }, text('missing', { name }))];
  const focused = one.contains(document.activeElement)
    ? [...one.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement)
    : -1;
  const same = one.dataset.name === name;
  const opened = [...one.querySelectorAll('details')].map(({ open }) => same && open);
  const typed = [...one.querySelectorAll('input')].map(({ value }) => (same ? value : ''));
  one.dataset.name = name;
  one.replaceChildren(back, ...headOf(title, record), ...parts);
  for (const [index, details] of one.querySelectorAll('details').entries()) {
    details.open = opened[index] ?? false;
  }
  for (const [index, input] of one.querySelectorAll('input').entries()) input.value = typed[index] ?? '';
  if (focused >= 0) (one.querySelectorAll(FOCUSABLE)[focused] ?? title).focus();
}

/** The title, with a button that copies the record's reference. */
function headOf(title, record) {
  const reference = record?.reference ?? null;
  if (reference === null) return [title];
  const problem = problemLine();
  const copying = copyButton('copyReference', make('span', {}, reference), () => reference, problem);
  return [make('div', { class: 'title' }, title, copying), problem];
}

function titleOf(tab, record) {
  if (tab === 'webhooks') return `${record.event} ${record.reference}`;
  return tab === 'requests' ? `${record.method} ${record.path}` : record.reference;
}

function timeline({ timeline: entries }) {
  const now = store.clock.now;
  const lines = entries.map((entry) => {
    const [what, words] = entryTexts(entry, now);
    const time = make('time', { datetime: entry.at }, timeOn(entry.at, now));
    return make('li', {}, time, subjectOf(entry, what), wrapped(words));
  });
  return [heading('timeline'), make('ol', { class: 'timeline' }, ...lines)];
}

/** What an entry tells of: a request and a webhook are a step away. */
function subjectOf({ what, id }, words) {
  if (id === null) return make('b', {}, words);
  return make('a', { href: placeOf(what === 'request' ? 'requests' : 'webhooks', id) }, words);
}

const optionalMoment = (iso) => (iso === null ? null : moment(iso));

const DETAILS = {
  payments: (payment) => [
    make('p', {}, statusOf(payment.status)),
    ...decisionsOf('payments', payment),
    facts([
      [text('column.amount'), money(payment.amount)],
      [text('fee'), money(payment.fee)],
      [text('net'), money(payment.net_amount)],
      [text('merchant'), payment.merchant],
      [text('customer'), payment.customer_name],
      [text('phoneNumber'), payment.customer_phone],
      [text('channel'), plain(payment.channel)],
      [text('providerReference'), payment.provider_reference],
      [text('created'), moment(payment.created_at)],
      [text('expires'), moment(payment.expires_at)],
      [text('settled'), optionalMoment(payment.settled_at)],
      [text('reason'), payment.reason],
    ]),
    ...timeline(payment),
  ],
  payouts: (payout) => [
    make('p', {}, statusOf(payout.status)),
    ...decisionsOf('payouts', payout),
    facts([
      [text('column.amount'), money(payout.amount)],
      [text('fee'), money(payout.fee)],
      [text('total'), money(payout.total_amount)],
      [text('merchant'), payout.merchant],
      [text('recipient'), payout.account_name ?? payout.recipient_name],
      [text('account'), payout.account_number ?? payout.recipient_phone],
      [text('column.to'), payout.bank_name ?? plain(payout.network ?? '')],
      [text('remarks'), payout.remarks],
      [text('created'), moment(payout.created_at)],
      [text('settled'), optionalMoment(payout.settled_at)],
      [text('reason'), payout.reason],
    ]),
    ...timeline(payout),
  ],
  webhooks: (delivery) => [
    make('p', {}, ...webhookStatus({ ...delivery, problem: delivery.attempts.at(-1)?.problem ?? null })),
    facts([
      [text('merchant'), delivery.merchant],
      [text('address'), delivery.url ?? text('noAddress')],
      [text('nextTry'), optionalMoment(delivery.next_attempt_at)],
    ]),
    ...deliveryChoice(delivery),
    linksOf(delivery, ['payments', 'requests']),
    heading('body'),
    code(indented(delivery.body)),
    heading('tries'),
    ...delivery.attempts.map(drawAttempt),
  ],
  requests: requestParts,
};

function deliveryChoice(delivery) {
  const problem = problemLine();
  const choice = make('p', { class: 'choice' });
  const replay = (mode) => () =>
    busily(choice, problem, () => write(`deliveries/${encodeURIComponent(delivery.id)}/replay`, { mode }));
  choice.append(
    button(text('replay'), replay('resigned'), { class: 'strong' }),
    button(text('replayIdentical'), replay('identical'), { class: 'quiet' }),
    button(text('curl'), () => busily(choice, problem, () => copy(curlOf(delivery))), { class: 'quiet' }),
  );
  return [choice, problem];
}

function drawAttempt(attempt) {
  const { number, at, status, problem, duration_ms: duration, replay } = attempt;
  const how =
    problem === null ? statusOf('delivered', `${status}`) : statusOf('failed', problemText(attempt));
  const title = [text('try', { number }), time(at), `${duration} ms`, replay ?? ''].filter(
    (part) => part !== '',
  );
  return make(
    'details',
    { class: 'attempt' },
    make('summary', {}, `${title.join(' · ')} `, how),
    ...(attempt.url === null ? [] : [facts([[text('address'), attempt.url]])]),
    heading('headers'),
    code(headerText(attempt.request_headers)),
    ...(attempt.response_headers === null
      ? []
      : [heading('answerHeaders'), code(headerText(attempt.response_headers))]),
    ...(attempt.response_body ? [heading('answerBody'), code(attempt.response_body)] : []),
  );
}
