// Makes thousands of calls while every fifth request is spoiled, and looks for what they leave behind: sockets, timers,
// memory, unhandled rejections. `--calls`, `--concurrency`, `--faults` (a share) and `--seed` change its size.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildWhatIsMissing } from '../../scripts/demo/build.mjs';

const WARM_UP = 2_000;
/** What a heap may differ by from one collection of garbage to the next. */
const HEAP_TOLERANCE = 2 * 1024 * 1024;

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    concurrency: { type: 'string', default: '50' },
    faults: { type: 'string', default: '0.2' },
    seed: { type: 'string', default: '1' },
  },
});
const calls = Number(values.calls);
const concurrency = Number(values.concurrency);

buildWhatIsMissing([], console.log);
const { startMerchant, RESOLVED, REFUSED } = await import('./merchant.mjs');

const complaints = [];
process.on('unhandledRejection', (reason) => complaints.push(`unhandled rejection: ${String(reason)}`));
process.on('warning', (warning) => complaints.push(`warning: ${String(warning)}`));

const gateway = fork(join(dirname(fileURLToPath(import.meta.url)), 'gateway.mjs'), [
  values.faults,
  values.seed,
]);
const [baseUrl] = await once(gateway, 'message');
const before = resources();

const merchant = await startMerchant(baseUrl, WARM_UP + calls);
await merchant.make(WARM_UP, concurrency);
const warm = heap();
const startedAt = performance.now();
await merchant.make(calls, concurrency);
const seconds = (performance.now() - startedAt) / 1_000;
const grown = heap() - warm;
const busy = resources();
await merchant.close();
// What is being closed ends within a turn or two of the event loop.
await setImmediate();
await setImmediate();
const after = resources();

gateway.send('report');
const [{ requests, faults, references }] = await once(gateway, 'message');
const made = new Set(references);
const faultShare = Number(values.faults);

const rows = [
  [
    'calls',
    `${calls} after ${WARM_UP} to warm up, ${concurrency} at once, ${(calls / seconds).toFixed(0)} a second`,
  ],
  ['requests', `${requests}, ${((100 * faults) / requests).toFixed(1)} % of them spoiled`],
  ...[...merchant.ends]
    .sort(([, one], [, other]) => other - one)
    .map(([name, times]) => [`  ${name}`, times]),
  // Whatever never happens breaks nothing.
  demand('requests spoiled, %', (100 * faults) / requests, 50 * faultShare),
  demand(
    'calls resolved',
    merchant.ends.get('resolved') ?? 0,
    (WARM_UP + calls) * Math.min(0.5, 1 - faultShare),
  ),
  expectation(
    'resolved without a payment',
    merchant.references(RESOLVED).filter((each) => !made.has(each)).length,
    0,
  ),
  expectation(
    'refused with a payment',
    merchant.references(REFUSED).filter((each) => made.has(each)).length,
    0,
  ),
  expectation('heap grown by, kB', Math.round(grown / 1024), HEAP_TOLERANCE / 1024),
  expectation('connections kept open', busy.sockets - before.sockets, concurrency),
  expectation('sockets left after the shutdown', after.sockets - before.sockets, 0),
  expectation('timers left after the shutdown', after.timers - before.timers, 0),
  expectation('unhandled rejections and warnings', complaints.length, 0),
];
for (const [name, value, failed] of rows)
  console.log(`${name.padEnd(36)} ${value}${failed ? '   FAILED' : ''}`);
for (const complaint of complaints.slice(0, 10)) console.log(complaint);
process.exitCode = rows.some(([, , failed]) => failed) ? 1 : 0;

function expectation(name, value, most) {
  return [name, `${value} (at most ${most})`, value > most];
}

function demand(name, value, least) {
  return [name, `${Math.round(value)} (at least ${Math.round(least)})`, !(value >= least)];
}

function heap() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Open sockets, also the ones that do not hold the process open, and timers that do. */
function resources() {
  const handles = process.report.getReport().libuv;
  return {
    sockets: handles.filter(({ type, is_active }) => type === 'tcp' && is_active).length,
    timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
  };
}
