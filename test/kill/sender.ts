import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { paymentEvent } from '../../lib/testing/payment-event.js';
import { signWebhook } from '../../lib/testing/sign-webhook.js';
import { type Fleet } from './fleet.js';
import { type History, now } from './history.js';
import { SCHEME, SECRET } from './replica-settings.js';

/** How often each event is delivered at the same time. */
const DELIVERIES = 5;
const EVENTS_AT_ONCE = 16;
const AGAIN_AFTER_MS = 100;
const GIVES_UP_AFTER_MS = 60_000;
const ANSWERED_WITHIN_MS = 10_000;

const agent = new Agent({ keepAlive: true });

/**
 * Delivers every event several times at once, over all replicas, and each delivery again until it is answered 200.
 *
 * @param answered Hears after each event how many are through.
 */
export async function sendAll(
  references: readonly string[],
  fleet: Fleet,
  history: History,
  answered: (count: number) => void,
): Promise<void> {
  const waiting = references.values();
  let count = 0;
  const send = async (): Promise<void> => {
    for (const reference of waiting) {
      const body = JSON.stringify(paymentEvent('payment.success', { reference }));
      const deliveries = Array.from({ length: DELIVERIES }, (_, index) => deliver(body, index, fleet));
      const through = (await Promise.all(deliveries)).every(Boolean);
      history.add({ what: through ? 'answered' : 'given up', reference });
      answered((count += 1));
    }
  };
  await Promise.all(Array.from({ length: EVENTS_AT_ONCE }, send));
  agent.destroy();
}

/** False: it was never answered 200. */
async function deliver(body: string, first: number, fleet: Fleet): Promise<boolean> {
  const giveUpAt = now() + GIVES_UP_AFTER_MS;
  for (let place = first; now() < giveUpAt; place += 1) {
    const port = fleet.portOf(place % fleet.size);
    if (port !== undefined && (await post(port, body)) === 200) return true;
    await pause(AGAIN_AFTER_MS);
  }
  return false;
}

/** The status of the answer; 0 where none came. */
function post(port: number, body: string): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    ...signWebhook({ scheme: SCHEME, secret: SECRET, body }),
  };
  return new Promise((resolve) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path: '/webhooks/payments', method: 'POST', headers, agent },
      (response) => {
        response.resume();
        response.once('close', () => {
          resolve(response.complete ? (response.statusCode ?? 0) : 0);
        });
      },
    );
    outgoing.setTimeout(ANSWERED_WITHIN_MS, () => outgoing.destroy());
    outgoing.once('error', () => {
      resolve(0);
    });
    outgoing.end(body);
  });
}
