/* global document, FormData */
import { byId, once, read, send } from './http.js';
import { offerLanguages, text } from './words.js';

const TONES = { accepted: 'good', 'awaiting-outcome': 'wait', refused: 'bad' };
const form = byId('payout');
const problem = byId('payout-problem');
let prepared;
let ended;

offerLanguages();

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void once(form, problem, prepare);
});
form.addEventListener('input', forget);
byId('confirm').addEventListener('click', () => void once(byId('prepared'), problem, confirm));
document.addEventListener('language', showPayout);

await once(form, problem, async () => {
  await Promise.all([showBalance(), showBanks()]);
});

async function showBanks() {
  for (const { code, name } of await read('office/banks')) {
    byId('banks').append(Object.assign(document.createElement('option'), { value: code, textContent: name }));
  }
}

async function showBalance() {
  const { available_text: available } = await read('office/balance');
  byId('balance').textContent = available;
}

async function prepare() {
  forget();
  const asked = fields();
  const answer = await send('office/payouts', asked);
  if (JSON.stringify(fields()) !== JSON.stringify(asked)) return;
  prepared = answer;
  showPayout();
}

async function confirm() {
  const { status } = await send(`office/payouts/${encodeURIComponent(prepared.reference)}/confirm`, {});
  forget();
  ended = status;
  showPayout();
  await showBalance();
}

function fields() {
  return Object.fromEntries(new FormData(form));
}

/** The looked-up holder is valid only for exactly these fields. */
function forget() {
  prepared = undefined;
  ended = undefined;
  showPayout();
}

function showPayout() {
  byId('prepared').hidden = !prepared;
  if (prepared) {
    const { account_name: holder, amountText: amount, bank_code: bank } = prepared;
    byId('holder').textContent = holder;
    byId('prepared-detail').textContent = text('receives', { amount, bank });
  }
  byId('payout-verdict').dataset.tone = TONES[ended];
  byId('payout-verdict').textContent = ended ? text(`payout.${ended}`) : '';
}
