/* global document, navigator */
// The details of one payment, payout, webhook or request.
import { encoded, read, write } from './control.js';
import { announce, busily, button, byId, facts, make, statusOf } from './dom.js';
import { curlOf } from './curl.js';
import { answerOf, payoutChoice } from './lists.js';
import { store } from './store.js';
import { placeOf } from './tabs.js';
import { currentLanguage, moment, money, plain, text, time } from './words.js';

const FOCUSABLE = 'a, button, pre, summary';

const code = (value) => make('pre', { tabindex: '0' }, value);
const heading = (key, gaps) => make('h4', {}, text(key, gaps));
const problemLine = () => make('p', { class: 'problem', role: 'alert', lang: 'en' });

/** Shows the record that the URL names. Returns false if the URL names none. */
export function showDetail({ tab, name, merchant }, moved) {
  const list = byId(`list-${tab}`);
  const one = byId(`one-${tab}`);
  if (!one || !(tab in DETAILS)) return;
  list.hidden = name !== undefined;
  one.hidden = name === undefined;
  if (name === undefined) {
    one.replaceChildren();
    delete one.dataset.state;
    return;
  }
  const record = find(tab, name, merchant);
  const state = JSON.stringify([currentLanguage(), name, record, timelineCounts(tab, record)]);
  if (one.dataset.state !== state) {
    one.dataset.state = state;
    draw(one, tab, name, record);
  }
  if (moved) one.querySelector('h3').focus();
}

function find(tab, name, merchant) {
  const records = [...store[tab].values()];
  if (tab === 'webhooks' || tab === 'requests') return store[tab].get(name);
  return records.find(
    (record) => record.reference === name && (merchant ?? record.merchant) === record.merchant,
  );
}

/** The number of tries and calls in a timeline: the details are drawn again when it changes. */
function timelineCounts(tab, record) {
  if (!record || !['payments', 'payouts'].includes(tab)) return undefined;
  const { merchant, reference } = record;
  const tries = [...store.webhooks.values()]
    .filter((delivery) => delivery.merchant === merchant && delivery.reference === reference)
    .map(({ attempts }) => attempts.length);
  const calls = [...store.requests.values()].filter(
    (request) => request.merchant === merchant && request.body?.reference === reference,
  );
  return [tries, calls.length];
}

function draw(one, tab, name, record) {
  const back = make('a', { href: placeOf(tab), class: 'back' }, `← ${text('all')}`);
  const title = make('h3', { tabindex: '-1' }, record ? titleOf(tab, record) : name);
  const parts = record ? DETAILS[tab](record) : [make('p', { class: 'empty' }, text('missing', { name }))];
  const focused = one.contains(document.activeElement)
    ? [...one.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement)
    : -1;
  const same = one.dataset.name === name;
  const opened = [...one.querySelectorAll('details')].map(({ open }) => same && open);
  one.dataset.name = name;
  one.replaceChildren(back, title, ...parts);
  for (const [index, details] of one.querySelectorAll('details').entries()) {
    details.open = opened[index] ?? false;
  }
  if (focused >= 0) (one.querySelectorAll(FOCUSABLE)[focused] ?? title).focus();
}

function titleOf(tab, record) {
  if (tab === 'webhooks') return `${record.event} ${record.reference}`;
  return tab === 'requests' ? `${record.method} ${record.path}` : record.reference;
}

/** The timeline of a reference, read from the emulator when it is shown. */
function timeline(tab, { reference, merchant }) {
  const lines = make('ol', { class: 'timeline', lang: 'en' });
  const query = `merchant=${encodeURIComponent(merchant)}`;
  read(`${tab}/${encoded(reference)}?${query}`)
    .then(({ timeline: entries }) =>
      lines.replaceChildren(
        ...entries.map(({ at, what, text: words }) =>
          make(
            'li',
            {},
            make('time', { datetime: at }, time(at)),
            make('b', {}, what),
            make('span', {}, words),
          ),
        ),
      ),
    )
    .catch(() => {});
  return [heading('timeline'), lines];
}

const optionalMoment = (iso) => (iso === null ? null : moment(iso));

const DETAILS = {
  payments: (payment) => [
    make('p', {}, statusOf(payment.status)),
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
    ]),
    ...timeline('payments', payment),
  ],
  payouts: (payout) => [
    make('p', {}, statusOf(payout.status)),
    ...payoutChoice(payout),
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
    ]),
    ...timeline('payouts', payout),
  ],
  webhooks: (delivery) => [
    make('p', {}, statusOf(delivery.state)),
    facts([
      [text('merchant'), delivery.merchant],
      [text('address'), delivery.url ?? text('noAddress')],
      [text('nextTry'), optionalMoment(delivery.next_attempt_at)],
    ]),
    ...deliveryChoice(delivery),
    heading('body'),
    code(indented(delivery.body)),
    heading('tries'),
    ...delivery.attempts.map(drawAttempt),
  ],
  requests: (request) => [
    make('p', {}, answerOf(request)),
    facts([
      [text('rule'), request.rule],
      [text('fault'), request.fault],
      [text('varied'), request.varied.join(', ')],
      [text('merchant'), request.merchant],
      [text('column.time'), moment(request.at)],
    ]),
    heading('headers'),
    code(headerText(request.headers)),
    ...(request.body === null
      ? []
      : [
          heading('body'),
          code(typeof request.body === 'string' ? request.body : JSON.stringify(request.body, null, 2)),
        ]),
  ],
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

async function copy(words) {
  await navigator.clipboard.writeText(words).catch(() => {
    throw new Error(text('notCopied'));
  });
  announce(text('copied'));
}

function drawAttempt(attempt) {
  const { number, at, status, problem, duration_ms: duration, replay } = attempt;
  const how = problem === null ? statusOf('delivered', `${status}`) : statusOf('failed', problem);
  const title = [text('try', { number }), time(at), `${duration} ms`, replay ?? ''].filter(
    (part) => part !== '',
  );
  return make(
    'details',
    { class: 'attempt' },
    make('summary', {}, `${title.join(' · ')} `, how),
    heading('headers'),
    code(headerText(attempt.request_headers)),
    ...(attempt.response_headers === null
      ? []
      : [heading('answerHeaders'), code(headerText(attempt.response_headers))]),
    ...(attempt.response_body ? [heading('answerBody'), code(attempt.response_body)] : []),
  );
}

const headerText = (headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function indented(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
