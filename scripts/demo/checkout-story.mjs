// The checkout's part of `npm run demo -- --once`, over HTTP: it uses the shop and the emulator like their pages.
import { decide, follow, read, send } from './http.mjs';
import { delivered, expectEqual, playSteps } from './steps.mjs';

const CUSTOMER = { name: 'Asha Mrema', phone: '255712345678', email: 'asha@example.com' };
const BUSY_PHONE = '255712340429';

/**
 * Plays the checkout: a declined and a paid attempt of one order, a limited request, and a restart of shop and emulator.
 *
 * @param places As of `playSteps`, and `restart()`, which stops both and starts them again at the same addresses.
 */
export const playCheckout = (places) => playSteps(STEPS, places);

const STEPS = {
  'Order placed': async ({ shop, state }) => {
    state.order = await order(shop, CUSTOMER.phone);
    expectEqual('the order is', state.order.state, 'waiting');
    state.page = follow(`${shop}/api/orders/${state.order.number}/events`);
    expectEqual('its page starts with', (await state.page.next()).state, 'waiting');
    return `${state.order.number}, ${state.order.amountText}: the customer has the request on the phone`;
  },

  'Page of its own address': async ({ shop, state }) => {
    const answer = await fetch(`${shop}/orders/${state.order.number}`);
    expectEqual(
      'it answers',
      `${answer.status} ${answer.headers.get('content-type')}`,
      '200 text/html; charset=utf-8',
    );
    return `/orders/${state.order.number}`;
  },

  'Declined on the phone': async ({ emulator, state }) => {
    const { number } = state.order;
    await decide(emulator, 'payments', number, 'decline');
    const shown = await state.page.next();
    expectEqual('the page shows', `${shown.state} (${shown.reason})`, 'failed (failed)');
    return `${await delivered(emulator, number, 'payment.failed')}; the page offers to try again`;
  },

  'Paid at the second attempt': async ({ shop, emulator, state }) => {
    const { number } = state.order;
    const again = await send(`${shop}/api/orders/${number}/pay`, {});
    expectEqual('the order is', again.state, 'waiting');
    await decide(emulator, 'payments', `${number}-2`, 'approve');
    let shown = await state.page.next();
    while (shown.state !== 'paid') shown = await state.page.next();
    return `${await delivered(emulator, `${number}-2`, 'payment.success')}; the page shows it without a reload`;
  },

  'Too many requests': async ({ shop }) => {
    const { state, reason, waitMs } = await order(shop, BUSY_PHONE);
    expectEqual('the order is', `${state} (${reason})`, 'failed (limited)');
    if (waitMs <= 0) throw new Error('the page would not wait before it tries again');
    return 'the page waits before it asks again under the same reference';
  },

  'Everything restarted': async ({ shop, emulator, restart, state }) => {
    const waiting = await order(shop, CUSTOMER.phone);
    await restart();
    const stateOf = async (number) => (await read(`${shop}/api/orders/${number}`)).state;
    expectEqual('the paid order is', await stateOf(state.order.number), 'paid');
    expectEqual('the other one is', await stateOf(waiting.number), 'waiting');
    await decide(emulator, 'payments', waiting.number, 'approve');
    await delivered(emulator, waiting.number, 'payment.success');
    expectEqual('after the approval it is', await stateOf(waiting.number), 'paid');
    return `${state.order.number} is still paid; ${waiting.number} waited on the phone, and is paid now`;
  },
};

async function order(shop, phone) {
  const { checkout, products } = await read(`${shop}/api/catalogue`);
  return send(`${shop}/api/orders`, { ...CUSTOMER, phone, checkout, product: products[0].id });
}
