import { atMost, rowsOf, timesAtMost } from '../shared/result.mjs';
import { EMPTY_EXPRESS, MODULE_EXPRESS, MODULE_FASTIFY, receive } from './receivers.mjs';

const WEBHOOKS = 3_000;

export const title = 'A forged webhook';

export async function measure(size) {
  const webhooks = Math.ceil(WEBHOOKS * size.share);
  const { samples, last, absent } = await receive(size, { webhooks, forged: true });
  const logged = Math.max(last.get(MODULE_EXPRESS).logged, last.get(MODULE_FASTIFY).logged);
  return {
    unit: 'µs of CPU a webhook',
    rows: rowsOf(samples, EMPTY_EXPRESS),
    goals: [
      timesAtMost(`${MODULE_EXPRESS} against ${EMPTY_EXPRESS}`, samples, MODULE_EXPRESS, EMPTY_EXPRESS, 1.3),
      atMost('log lines a round', logged, 1, ''),
    ],
    remarks: [
      `${webhooks} webhooks a round whose signature is of another text; the empty routes do not look at it.`,
      ...absent,
    ],
  };
}
