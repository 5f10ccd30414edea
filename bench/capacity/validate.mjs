// Compares the simulation with a real run on this machine, of one process: `node bench/capacity/validate.mjs`. CPU times are those
// of the run itself, for they depend on what else the machine does; how the parts wait for each other is the simulation's.
import { availableParallelism } from 'node:os';
import { stopChildren } from '../shared/child.mjs';
import { undoAll } from '../shared/cleanup.mjs';
import { prepare } from '../shared/prepare.mjs';
import { openBenchShop } from './bench-shop.mjs';
import { RATES } from './rates.mjs';
import { simulate } from './simulate.mjs';

const POOL_SIZE = 10;
const RUNS = [
  { atOnce: 16, times: 2_500 },
  { atOnce: 64, times: 4_000 },
];

/** The measured rates, with the CPU times of a run. */
function ratesOf(kind, { processMs, serverMs, gatewayMs, loadMs, commits }, disk) {
  const share = RATES.server.groupMs * commits;
  const { payment, webhook } = RATES;
  const each = Math.max(0, serverMs - share) / statementsOf(kind);
  const own = (statement) => ({ ...statement, serverMs: each });
  const { before, beside, after } = payment.statements;
  return {
    ...RATES,
    server: { ...RATES.server, ...disk },
    payment: {
      processMs,
      gatewayMs,
      statements: { before: before.map(own), beside: beside.map(own), after: after.map(own) },
    },
    webhook: { processMs, loadMs, statements: webhook.statements.map(own) },
  };
}

function statementsOf(kind) {
  return Object.values(RATES[kind].statements).flat().length;
}

function simulated(kind, atOnce, run, { disk, latencyMs }) {
  const result = simulate({
    kind,
    atOnce,
    processes: 1,
    connections: POOL_SIZE,
    gatewayMs: latencyMs,
    host: { cores: availableParallelism(), others: run.others },
    rates: ratesOf(kind, run, disk),
    seconds: 10,
  });
  return { perSecond: result[`${kind}sPerSecond`], ...result[kind], shared: result.statementsPerCommit };
}

try {
  prepare((line) => console.error(line));
  for (const latencyMs of [0, 200]) {
    const shop = await openBenchShop({ poolSize: POOL_SIZE, latencyMs });
    for (const { atOnce, times } of RUNS) {
      const share = latencyMs > 0 ? 0.4 : 1;
      for (const kind of latencyMs > 0 ? ['payment'] : ['payment', 'webhook']) {
        const disk = await shop.server.flushMs();
        const run = await shop.run(kind, Math.round(times * share), atOnce);
        const real = { ...run, shared: statementsOf(kind) / run.commits };
        const model = simulated(kind, atOnce, real, { disk, latencyMs });
        const line = ['perSecond', 'p50', 'p99', 'shared'].map((name) => {
          const ratio = model[name] / real[name];
          return `${name} ${real[name].toFixed(1)} real, ${model[name].toFixed(1)} simulated (${ratio.toFixed(2)} ×)`;
        });
        console.log(
          `${kind}, gateway ${latencyMs} ms, ${atOnce} at once, others ${(real.others * 100).toFixed(0)} %: ${line.join('; ')}`,
        );
      }
    }
    await shop.close();
  }
} finally {
  await stopChildren();
  await undoAll();
}
