// How to connect an application, and a payment to try it with.
import { copyButton } from './copying.js';
import { curlOfPayment } from './curl.js';
import { read, write } from './control.js';
import { busily, button, coded, make } from './dom.js';
import { field, form, problemLine, worded } from './fields.js';
import { linksOf } from './links.js';
import { answerOf } from './lists.js';
import { randomId } from './random-id.js';
import { scenarioText } from './scenarios-swahili.js';
import { currentLanguage, money, text, translate } from './words.js';

const COLLECT = 'POST /payments/mobile-money';
const HIDDEN = '••••••••';
const PAYMENT = {
  amount: 15_000,
  currency: 'TZS',
  phone: '255712345678',
  customer_name: 'Asha Juma',
  customer_email: 'asha@example.com',
};

/** What the containers show. */
let shown;

/** Fills the containers, unless they show the same: somebody may be typing. `prefix` keeps the ids of their inputs apart. */
export async function showFirstRun(containers) {
  const [info, { items }] = await Promise.all([read('info'), read('scenarios')]);
  const { base_url: address, api_key: key, api_secret: secret, profile, seed } = info;
  const wanted = JSON.stringify([currentLanguage(), address, key, secret, profile, seed, items]);
  if (wanted === shown) return;
  shown = wanted;
  const scenarios = items.filter(({ operations }) => operations.includes(COLLECT));
  for (const [prefix, container] of Object.entries(containers)) {
    container.replaceChildren(connection(info), testPayment(prefix, info, scenarios));
    translate(container);
  }
}

/** The values that an application needs, each with a button that copies it. */
function connection(info) {
  const problem = problemLine();
  const secret = make('code', {}, HIDDEN);
  const reveal = async () => {
    const shown = secret.textContent !== HIDDEN;
    secret.textContent = shown ? HIDDEN : (await write('webhooks/secret')).secret;
    revealing.dataset.text = shown ? 'reveal' : 'hide';
    revealing.textContent = text(revealing.dataset.text);
  };
  const revealing = worded('button', 'reveal', { type: 'button', class: 'quiet' });
  revealing.addEventListener('click', () => busily(revealing, problem, reveal));
  const value = (key, shown, whole, ...more) =>
    make(
      'div',
      {},
      worded('dt', key),
      make('dd', {}, shown, ' ', copyButton('copy', worded('span', key), whole, problem), ...more),
    );
  const plain = (key, words) => value(key, make('code', {}, words), () => words);
  const curl = curlOfPayment(info, PAYMENT);
  return make(
    'section',
    { class: 'connection' },
    worded('h3', 'connectTitle'),
    make(
      'dl',
      { class: 'values' },
      plain('baseUrl', info.base_url),
      plain('apiKey', info.api_key),
      plain('apiSecret', info.api_secret),
      value('webhookSecret', secret, async () => (await write('webhooks/secret')).secret, ' ', revealing),
      make('div', {}, worded('dt', 'profile'), make('dd', {}, info.profile)),
      make('div', {}, worded('dt', 'seed'), make('dd', {}, String(info.seed))),
    ),
    worded('h4', 'pasteCurl'),
    make('pre', { tabindex: '0' }, curl),
    make(
      'p',
      { class: 'choice' },
      copyButton('copy', worded('span', 'pasteCurl'), () => curl, problem),
    ),
    problem,
  );
}

/** Asks the gateway for a payment as an application does. Chips write a magic number into its phone. */
function testPayment(prefix, info, scenarios) {
  const { api_key: key, api_secret: secret } = info;
  const phone = field(`${prefix}-phone`, 'phoneNumber', {
    name: 'phone',
    value: PAYMENT.phone,
    inputmode: 'tel',
  });
  const amount = field(`${prefix}-amount`, 'amountTzs', {
    name: 'amount',
    value: '15000',
    inputmode: 'decimal',
  });
  const meaning = make('p', { class: 'detail', 'aria-live': 'polite' });
  const chips = scenarios.map((scenario) => {
    const { ending } = scenario;
    const words = scenarioText(scenario, currentLanguage());
    const press = () => {
      phone.querySelector('input').value = `25571234${ending}`;
      meaning.replaceChildren(meaningOf(scenario));
    };
    return button(ending, press, { class: 'chip', title: words.replaceAll('`', '') });
  });
  const send = async ({ phone: number, amount: tzs }) => {
    const reference = `test-${randomId()}`;
    const answer = await ask(key, secret, { ...PAYMENT, phone: number, amount: Number(tzs), reference });
    const scenario = scenarios.find(({ ending }) => number.trim().endsWith(ending));
    const record = { merchant: key.replace('pk_test_', ''), reference };
    return [
      make('p', {}, text('asked', { amount: money(tzs), phone: number, reference })),
      ...(await answerParts(answer, scenario)),
      linksOf(record, answer?.ok ? ['payments', 'requests'] : ['requests']),
    ];
  };
  const made = form(`${prefix}-payment`, 'testPayment', [phone, amount], send);
  made
    .querySelector('h3')
    .after(
      make('p', { class: 'detail whole' }, worded('span', 'magicNumbers')),
      make('p', { class: 'chips whole' }, ...chips),
      meaning,
    );
  meaning.classList.add('whole');
  return made;
}

/** Undefined if the connection closes without an answer. */
function ask(key, secret, payment) {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': key,
    'x-api-secret': secret,
    'idempotency-key': randomId(),
  };
  const body = JSON.stringify(payment);
  return fetch('api/v1/payments/mobile-money', { method: 'POST', headers, body }).catch(() => undefined);
}

/** How the gateway has answered; for a refusal why, and what the number's ending has to do with it. */
async function answerParts(answer, scenario) {
  const status = answer?.status ?? null;
  const body = (await answer?.json().catch(() => undefined)) ?? {};
  if (body.status === 'success') return [make('p', {}, answerOf({ status, code: null }))];
  const { code, errors = {}, message = '' } = body;
  const reasons = Object.values(errors).flat();
  const reason = reasons.length > 0 ? reasons.join(' ') : message;
  return [
    make('p', {}, answerOf({ status, code: code ?? null, reason })),
    ...(reason ? [make('p', { class: 'problem', lang: 'en' }, reason)] : []),
    ...(scenario ? [make('p', { class: 'detail' }, meaningOf(scenario))] : []),
  ];
}

const meaningOf = (scenario) =>
  make('span', {}, `${scenario.ending}: `, ...coded(scenarioText(scenario, currentLanguage())));
