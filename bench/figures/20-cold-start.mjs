import { performance } from 'node:perf_hooks';
import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { rowsOf, timesAtMost } from '../shared/result.mjs';
import { median } from '../shared/statistics.mjs';

/** Of each in a round. What else the machine does only adds to what a start takes. */
const PROCESSES = 4;
const NEST = 'Nest alone';
const PEERS = 'Nest with HttpModule, class-validator, class-transformer, @nestjs/config';
const MODULE = 'nestjs-payments';
const STRIPE = 'Nest alone and stripe-node';
const CALLERS = [
  { name: NEST, client: 'nest', inside: 'bare' },
  { name: PEERS, client: 'nest', inside: 'bare', peers: true },
  { name: MODULE, client: 'module' },
  { name: STRIPE, client: 'nest', inside: 'stripe' },
];
const RECEIVERS = [
  { name: NEST, receiver: 'empty' },
  { name: PEERS, receiver: 'empty', peers: true },
  { name: MODULE, receiver: 'module' },
  { name: STRIPE, receiver: 'stripe', form: 'stripe' },
];
/** Beside the application with the peers. */
const MOST = 1.1;

export const title = 'Cold start: one call, one webhook';

export async function measure(size) {
  const processes = Math.ceil(PROCESSES * size.share);
  const calls = await firstCalls(size, processes);
  const webhooks = await firstWebhooks(size, processes);
  return {
    unit: 'ms of CPU from the start of the process',
    columns: ['ms of wall-clock time'],
    rows: [...rowsOfPart('a call', calls), ...rowsOfPart('a webhook', webhooks)],
    goals: [goalOf('a call', calls), goalOf('a webhook', webhooks)],
    remarks: [
      `Until a gateway has answered the first call, and until the first webhook was answered, on Express. Each round is the least of ${processes} processes. Without the package, node:http makes the call and an empty route answers the webhook. Beyond the application with everything that the package stands on, it takes ${beyond(calls)} ms of CPU with a call and ${beyond(webhooks)} ms with a webhook.`,
    ],
  };
}

async function firstCalls(size, processes) {
  const gateway = await startChild('targets/gateway.mjs');
  const { value: port } = await gateway.ask('port');
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const samples = await interleaved(CALLERS, size, (caller) =>
    leastOf(processes, () =>
      coldStart('calls/driver.mjs', { ...caller, baseUrl }, (child) => child.ask('many', 1, 1)),
    ),
  );
  await gateway.stop();
  return samples;
}

async function firstWebhooks(size, processes) {
  const loads = new Map();
  for (const { form } of RECEIVERS) {
    if (!loads.has(form)) loads.set(form, await startChild('targets/load.mjs', { form }));
  }
  let sent = 0;
  const samples = await interleaved(RECEIVERS, size, ({ name, form, ...options }) =>
    leastOf(processes, () =>
      coldStart('webhooks/driver.mjs', options, async (child) => {
        const { value: port } = await child.ask('port');
        const reference = `cold-${(sent += 1)}`;
        const { value } = await loads.get(form).ask('throughput', [port], [reference], 1);
        if (value.done !== 1) throw new Error(`${name} answered ${JSON.stringify(value.failures)}`);
      }),
    ),
  );
  for (const load of loads.values()) await load.stop();
  return samples;
}

/** A process from its start until it has done one thing. */
async function coldStart(driver, options, first) {
  const startedAt = performance.now();
  const child = await startChild(driver, options);
  await first(child);
  const wallMs = performance.now() - startedAt;
  const { value: cpuMs } = await child.ask('cpuMs');
  await child.stop();
  return { cpuMs, wallMs };
}

async function leastOf(processes, start) {
  const starts = [];
  for (let index = 0; index < processes; index += 1) starts.push(await start());
  const least = (name) => Math.min(...starts.map((each) => each[name]));
  return { cpuMs: least('cpuMs'), wallMs: least('wallMs') };
}

function rowsOfPart(what, samples) {
  return rowsOf(part(samples, 'cpuMs'), NEST).map(({ name, ...row }) => ({
    ...row,
    name: `${what}: ${name}`,
    more: [median(part(samples, 'wallMs').get(name))],
  }));
}

function goalOf(what, samples) {
  return timesAtMost(`${what}, against ${PEERS}`, part(samples, 'cpuMs'), MODULE, PEERS, MOST);
}

function beyond(samples) {
  const cpu = part(samples, 'cpuMs');
  return median(cpu.get(MODULE).map((value, round) => value - cpu.get(PEERS)[round])).toFixed(0);
}

function part(samples, name) {
  return new Map([...samples].map(([key, values]) => [key, values.map((each) => each[name])]));
}
