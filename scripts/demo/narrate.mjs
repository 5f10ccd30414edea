// Tells what happens between the shop, the gateway and the phone, while it happens.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sampleFolder } from './build.mjs';
import { deliverySentences, orderSentences, paymentSentences, requestSentences } from './sentences.mjs';

/** @param tell Gets who does something, and a sentence about it. */
export async function narrate(emulator, shop, tell) {
  const tellAll = (sentences) => sentences.forEach(([who, sentence]) => tell(who, sentence));
  const isNew = newness();
  emulator.on('exchange', ({ request }) => tellAll(requestSentences(request)));
  emulator.on('payment', (payment) => {
    if (isNew(payment.reference, payment.status)) tellAll(paymentSentences(payment));
  });
  emulator.on('delivery', (delivery) => {
    if (isNew(delivery.id, delivery.attempts.length)) tellAll(deliverySentences(delivery));
  });
  await followOrders(shop, (order, words) => {
    if (isNew(order.number, order.version)) tellAll(orderSentences(order, words));
  });
}

/** The database tells every instance of the shop which order has changed. */
async function followOrders(shop, changed) {
  const load = (path) => import(pathToFileURL(join(sampleFolder('02-shop-checkout'), path)).href);
  const { Database } = await load('dist/database/database.js');
  const { OrdersRepository } = await load('dist/orders/orders.repository.js');
  const { english } = await load('public/english.js');
  const orders = shop.get(OrdersRepository);
  await shop.get(Database).listen('order_changed', (number) => {
    if (number === undefined) return;
    // A shop that closes has no database any more.
    void orders.find(number).then(
      (order) => changed(order, english),
      () => {},
    );
  });
}

/** Whether something is told for the first time: the same state may be announced more than once. */
function newness() {
  const last = new Map();
  return (key, value) => {
    if (last.get(key) === value) return false;
    last.set(key, value);
    return true;
  };
}
