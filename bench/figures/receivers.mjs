import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';

export const EMPTY_EXPRESS = 'empty Nest route, Express';
export const MODULE_EXPRESS = 'nestjs-payments, Express';
export const MODULE_FASTIFY = 'nestjs-payments, Fastify';

const RECEIVERS = [
  { name: EMPTY_EXPRESS, receiver: 'empty', adapter: 'express' },
  { name: MODULE_EXPRESS, receiver: 'module', adapter: 'express' },
  { name: 'empty Nest route, Fastify', receiver: 'empty', adapter: 'fastify' },
  { name: MODULE_FASTIFY, receiver: 'module', adapter: 'fastify' },
  { name: 'node:http with signature and JSON', receiver: 'bare' },
  { name: '@golevelup/nestjs-stripe', receiver: 'golevelup', form: 'stripe', mayBeAbsent: true },
];

/**
 * Sends webhooks to every receiver in turn.
 *
 * @returns CPU time a webhook, log lines and handled ones of the last round by receiver, and why one did not start.
 */
export async function receive(size, { webhooks, forged }) {
  const { subjects, absent, stop } = await startReceivers();
  const last = new Map();
  const samples = await interleaved(subjects, size, async (subject) => {
    const { cpuUs, ...seen } = await receiveOnce(subject, webhooks, forged);
    last.set(subject.name, seen);
    return cpuUs;
  });
  await stop();
  return { samples, last, absent };
}

async function receiveOnce({ name, child, load }, webhooks, forged) {
  const ask = async (what) => (await child.ask(what)).value;
  const [cpuBefore, before] = [await ask('cpuMs'), await ask('counts')];
  const { value: statuses } = await load.ask('send', webhooks, forged);
  const [cpuAfter, after] = [await ask('cpuMs'), await ask('counts')];
  const handled = after.handled - before.handled;
  if (
    name.startsWith('nestjs-payments') &&
    (handled !== (forged ? 0 : webhooks) || !statuses[forged ? 401 : 200])
  ) {
    throw new Error(`${name} handled ${handled} of ${webhooks}: ${JSON.stringify(statuses)}`);
  }
  return {
    cpuUs: ((cpuAfter - cpuBefore) * 1_000) / webhooks,
    statuses,
    logged: after.logged - before.logged,
  };
}

async function startReceivers() {
  const started = [];
  const absent = [];
  for (const { name, form, mayBeAbsent, ...options } of RECEIVERS) {
    try {
      const child = await startChild('webhooks/driver.mjs', options);
      const { value: port } = await child.ask('port');
      started.push({ name, child, load: await startChild('targets/load.mjs', { port, form }) });
    } catch (error) {
      if (!mayBeAbsent) throw error;
      absent.push(`${name} does not start beside this Nest: ${error.message.split(' (')[0]}.`);
    }
  }
  const stop = () => Promise.all(started.flatMap(({ child, load }) => [child.stop(), load.stop()]));
  return { subjects: started, absent, stop };
}
