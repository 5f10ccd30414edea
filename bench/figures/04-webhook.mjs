import { rowsOf, timesAtMost } from '../shared/result.mjs';
import { EMPTY_EXPRESS, MODULE_EXPRESS, MODULE_FASTIFY, receive } from './receivers.mjs';

const WEBHOOKS = 5_000;

export const title = 'A webhook: bytes, signature, inbox, one handler';

export async function measure(size) {
  const webhooks = Math.ceil(WEBHOOKS * size.share);
  const { samples, absent } = await receive(size, { webhooks, forged: false });
  const goal = (name, most) =>
    timesAtMost(`${name} against ${EMPTY_EXPRESS}`, samples, name, EMPTY_EXPRESS, most);
  return {
    unit: 'µs of CPU a webhook',
    rows: rowsOf(samples, EMPTY_EXPRESS),
    goals: [goal(MODULE_EXPRESS, 1.25), goal(MODULE_FASTIFY, 0.7)],
    remarks: [
      `${webhooks} webhooks of 1 kB a round over 20 connections, each another payment. The empty routes have \`rawBody: true\`.`,
      ...absent,
    ],
  };
}
