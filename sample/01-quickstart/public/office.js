/* global document, FormData */
import { byId, money, once, read, send } from './http.js';

const VERDICTS = {
  accepted: ['good', 'On its way: the gateway has accepted the transfer.'],
  'awaiting-outcome': ['wait', 'We wait for the outcome. The money may be on its way: do not send it again.'],
  refused: ['bad', 'Refused. Nothing was sent.'],
};
const form = byId('payout');
const problem = byId('payout-problem');
let prepared;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void once(form, problem, prepare);
});
form.addEventListener('input', forget);
byId('confirm').addEventListener('click', () => void once(byId('prepared'), problem, confirm));
document.addEventListener('balance', () => void showBalance());

await once(form, problem, async () => {
  await Promise.all([showBalance(), showBanks()]);
});

async function showBanks() {
  for (const { code, name } of await read('office/banks')) {
    byId('banks').append(Object.assign(document.createElement('option'), { value: code, textContent: name }));
  }
}

async function showBalance() {
  const { available_balance: available } = await read('office/balance');
  byId('balance').textContent = money(available);
}

async function prepare() {
  forget();
  const asked = fields();
  const answer = await send('office/payouts', asked);
  if (JSON.stringify(fields()) !== JSON.stringify(asked)) return;
  prepared = answer;
  byId('holder').textContent = prepared.account_name;
  byId('prepared-detail').textContent = `receives ${money(prepared.amount)} at ${prepared.bank_code}.`;
  byId('prepared').hidden = false;
}

async function confirm() {
  const { status } = await send(`office/payouts/${encodeURIComponent(prepared.reference)}/confirm`, {});
  forget();
  const [tone, words] = VERDICTS[status];
  byId('payout-verdict').dataset.tone = tone;
  byId('payout-verdict').textContent = words;
  await showBalance();
}

function fields() {
  return Object.fromEntries(new FormData(form));
}

/** The looked-up holder is valid only for exactly these fields. */
function forget() {
  prepared = undefined;
  byId('prepared').hidden = true;
  byId('payout-verdict').textContent = '';
}
