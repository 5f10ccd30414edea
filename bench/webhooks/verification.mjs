// Checks signatures of the same webhook with several libraries, without HTTP.
import { createHmac } from 'node:crypto';
import { hmac, standardWebhooks } from 'nestjs-payments';
import { signWebhook } from 'nestjs-payments/testing';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe-current';
import { Webhook as SvixWebhook } from 'svix';
import { delivery, SECRET } from './deliveries.mjs';

const KEY = createHmac('sha256', SECRET).update('key').digest();
const STANDARD_SECRET = `whsec_${KEY.toString('base64')}`;
const { body, headers } = delivery('payments', 'order-1', false);
const bytes = Buffer.from(body);

export default function open() {
  const now = Date.now();
  const standardHeaders = signWebhook({ scheme: standardWebhooks(), secret: STANDARD_SECRET, body, now });
  const stripeDelivery = delivery('stripe', 'evt_1', false);
  const plain = hmac({
    header: 'x-webhook-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    payload: ['body'],
  });
  const ways = {
    'nestjs-payments, hmac': verifier(plain, headers, Buffer.from(SECRET)),
    'nestjs-payments, standardWebhooks': verifier(standardWebhooks(), standardHeaders, KEY),
    standardwebhooks: bind(new Webhook(STANDARD_SECRET), body, standardHeaders),
    svix: bind(new SvixWebhook(STANDARD_SECRET), body, standardHeaders),
    'stripe.webhooks.constructEvent': () =>
      Stripe.webhooks.constructEvent(stripeDelivery.body, stripeDelivery.headers['stripe-signature'], SECRET),
  };
  return {
    names: () => Object.keys(ways),
    check(name, times) {
      for (let index = 0; index < times; index += 1) ways[name]();
    },
  };
}

/** Parses as well, as the libraries do. */
function verifier(scheme, shown, key) {
  const values = new Map(Object.entries(shown).map(([name, value]) => [name, [value]]));
  return () => {
    if (!scheme.verify({ headers: values, body: bytes }, [key], Date.now()).ok) throw new Error('refused');
    return JSON.parse(bytes.toString());
  };
}

function bind(library, text, shown) {
  return () => library.verify(text, shown);
}
