// The quickstart's part of `npm run demo -- --once`, over HTTP: it uses the shop and the emulator like their pages.
import { cents, decide, follow, items, money, read, send } from './http.mjs';
import { delivered, expectEqual, playSteps } from './steps.mjs';

const CUSTOMER = { name: 'Asha Mrema', phone: '255712345678', email: 'asha@example.com' };
const SUPPLIER = { account_number: '0150234567801', amount: '25000' };

/** Plays the quickstart: collections, their webhooks, a lookup and a payout. */
export const playQuickstart = (places) => playSteps(STEPS, places);

const STEPS = {
  'Balance before': async ({ shop, officePassword, state }) => {
    const user = Buffer.from(`office:${officePassword}`).toString('base64');
    state.office = { authorization: `Basic ${user}` };
    state.before = await balance(shop, state.office);
    return money(state.before);
  },

  'Mobile money collection': async ({ shop, state }) => {
    state.first = await buy(shop, 'coffee', 'mobile-money');
    return `${state.first.reference}, ${money(state.first.amount)}: ${state.first.status}`;
  },

  'Approval on the phone': async ({ shop, emulator, state }) => {
    state.page = follow(`${shop}/orders/${state.first.reference}/events`);
    expectEqual('the order page starts with', (await state.page.next()).status, 'awaiting-customer');
    const { status } = await decide(emulator, 'payments', state.first.reference, 'approve');
    expectEqual('the payment is', status, 'success');
    return 'the customer approves';
  },

  'Signed webhook': async ({ emulator, state }) =>
    delivered(emulator, state.first.reference, 'payment.success'),

  'Order paid': async ({ shop, state }) => {
    const shown = await state.page.next();
    expectEqual('the order page shows', shown.status, 'paid');
    expectEqual('the receipt is', shown.receipt, 'R-0001');
    expectEqual('the order is', (await read(`${shop}/orders/${state.first.reference}`)).status, 'paid');
    return `receipt ${shown.receipt}, shown without a reload`;
  },

  'Partner wallet collection': async ({ shop, state }) => {
    state.second = await buy(shop, 'honey', 'partner-wallet');
    return `${state.second.reference}, ${money(state.second.amount)}: ${state.second.status}`;
  },

  'Declined on the phone': async ({ shop, emulator, state }) => {
    const { reference } = state.second;
    await decide(emulator, 'payments', reference, 'decline');
    const webhook = await delivered(emulator, reference, 'payment.failed');
    const { status, reason } = await read(`${shop}/orders/${reference}`);
    expectEqual('the order is', `${status} (${reason})`, 'not-paid (failed)');
    return `${webhook}; the order is not paid`;
  },

  'Name lookup': async ({ shop, state }) => {
    const [bank] = await read(`${shop}/office/banks`, state.office);
    const account = { ...SUPPLIER, bank_code: bank.code };
    state.payout = await send(`${shop}/office/payouts`, account, state.office);
    if (!state.payout.account_name) throw new Error('no name came back');
    return `${state.payout.account_number} at ${bank.name} belongs to ${state.payout.account_name}`;
  },

  'Bank payout': async ({ shop, state }) => {
    const { reference } = state.payout;
    for (const press of ['first', 'second']) {
      const { status } = await send(`${shop}/office/payouts/${reference}/confirm`, {}, state.office);
      expectEqual(`after the ${press} press the payout is`, status, 'accepted');
    }
    return `${reference}, ${money(state.payout.amount)}: sent once though confirmed twice`;
  },

  'Payout paid': async ({ emulator, state }) => {
    const { status } = await decide(emulator, 'payouts', state.payout.reference, 'pay');
    expectEqual('the payout is', status, 'paid');
    return 'the money has arrived';
  },

  'Balance after': async ({ shop, emulator, state }) => {
    const paid = (await items(emulator, 'payments')).find(({ status }) => status === 'success');
    const payouts = await items(emulator, 'payouts');
    const spent = payouts.reduce((sum, { total_amount: total }) => sum + cents(total), 0n);
    const after = await balance(shop, state.office);
    expectEqual('the wallet holds', cents(after), cents(state.before) + cents(paid.net_amount) - spent);
    return `${money(after)}: what the customer paid came in, the supplier's money went out, less the fees`;
  },
};

async function balance(shop, office) {
  return (await read(`${shop}/office/balance`, office)).balance;
}

async function buy(shop, product, method) {
  const order = await send(`${shop}/orders`, { ...CUSTOMER, product, method });
  expectEqual('the order is', order.status, 'awaiting-customer');
  return order;
}
