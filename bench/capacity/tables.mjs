// The tables of docs/capacity.md: `node bench/capacity/tables.mjs` prints them, the simulated ones too.
import { pathToFileURL } from 'node:url';
import { ASSUMED, plan } from './plan.mjs';
import { findLimit, simulate } from './simulate.mjs';

export const TARGETS = [10, 1_000, 100_000];
const LATENCIES = [200, 500, 2_000];
/** Connections to the gateway of one process: of a registration, and of one with a resolver. */
const CONNECTIONS = [50, 500];

/** The sizes, as rows of cells. */
export function planRows() {
  const plans = TARGETS.map((target) => plan(target));
  const row = (name, text) => [name, ...plans.map(text)];
  return [
    ['payments a second', ...TARGETS.map(whole)],
    row('processes', ({ processes }) => whole(processes)),
    row('– for their CPU alone', ({ processesForCpu }) => whole(processesForCpu)),
    row('– for their connections to the gateway', ({ processesForGateway }) => whole(processesForGateway)),
    row('payments that wait for the gateway', ({ inFlight }) => whole(inFlight)),
    row('connections to the database, a process', ({ connections }) => whole(connections)),
    row('databases', ({ databases }) => whole(databases)),
    row('cores of each database', ({ coresOfDatabase }) => whole(coresOfDatabase)),
    row('connections of each database', ({ connectionsOfDatabase }) => whole(connectionsOfDatabase)),
    row('rows and indexes a day', ({ gbOfDay }) => gigabytes(gbOfDay)),
    row('the same a month, without a purge', ({ gbOfMonth }) => gigabytes(gbOfMonth)),
    row(`the same with a purge after ${ASSUMED.keepDays} days, at most`, ({ gbKept }) => gigabytes(gbKept)),
    row('tombstones a month', ({ gbOfTombstonesOfMonth }) => gigabytes(gbOfTombstonesOfMonth)),
    row('WAL a second', ({ walMbPerSecond }) => `${figure(walMbPerSecond)} MB`),
    row('WAL a day', ({ walGbOfDay }) => gigabytes(walGbOfDay)),
  ];
}

/** How many processes there are if the gateway answers sooner or later, as rows of cells. */
export function gatewayRows() {
  return [
    [
      'the gateway answers in',
      'connections of a process',
      ...TARGETS.map((target) => `${whole(target)} a second`),
    ],
    ...LATENCIES.flatMap((gatewayMs) =>
      CONNECTIONS.map((gatewayConnections) => [
        `${gatewayMs / 1_000} s`,
        whole(gatewayConnections),
        ...TARGETS.map((target) => whole(plan(target, { gatewayMs, gatewayConnections }).processes)),
      ]),
    ),
  ];
}

/** What a simulation of one database with its processes needs to know. */
export function shardOf(target, options) {
  const { processes, databases, connections, coresOfDatabase } = plan(target, options);
  return {
    paymentsPerSecond: target / databases,
    processes: processes / databases,
    connections,
    cores: coresOfDatabase,
    gatewayMs: ASSUMED.gatewayMs,
    gatewayConnections: ASSUMED.gatewayConnections,
    seconds: target > 1_000 ? 3 : 5,
    ...options,
  };
}

/** What the simulation of one database gave, as rows of cells. */
export function simulatedRows(targets) {
  const results = targets.map((target) => ({ shard: shardOf(target), result: simulate(shardOf(target)) }));
  const row = (name, text) => [name, ...results.map(text)];
  const used = (name) => row(`use of ${name}`, ({ result }) => percent(result.utilization[name]));
  const time = (kind) =>
    row(
      `a ${kind}, p50 and p99`,
      ({ result }) => `${whole(result[kind].p50)} and ${whole(result[kind].p99)} ms`,
    );
  return [
    ['payments a second', ...targets.map(whole)],
    row('of them in one database', ({ shard }) => whole(shard.paymentsPerSecond)),
    row('simulated payments a second', ({ result }) => whole(result.paymentsPerSecond)),
    time('payment'),
    time('webhook'),
    ...['process', 'gateway connections', 'connections', 'server'].map(used),
    row('statements that share a commit', ({ result }) => result.statementsPerCommit.toFixed(1)),
    row('longest queue of a process', ({ result }) => whole(result.longestQueue.process)),
  ];
}

/** What breaks first if more comes to the same size. */
export function limitText(target, options) {
  const shard = shardOf(target, options);
  const { keptUpWith, resource, utilization } = findLimit(shard);
  const uses = Object.entries(utilization).map(([name, share]) => `${name} ${percent(share)}`);
  return `${whole(target)}: ${(keptUpWith / shard.paymentsPerSecond).toFixed(2)} times the rate, then ${resource} (${uses.join(', ')})`;
}

export function markdown([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function whole(number) {
  return Math.round(number).toLocaleString('en-US');
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/** Two digits are as many as are known. */
function figure(number) {
  return number >= 100 ? whole(Number(number.toPrecision(2))) : String(Number(number.toPrecision(2)));
}

function gigabytes(number) {
  return number >= 1_000 ? `${figure(number / 1_000)} TB` : `${figure(number)} GB`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const rows of [planRows(), gatewayRows(), simulatedRows(TARGETS)]) console.log(`${markdown(rows)}\n`);
  for (const gatewayConnections of CONNECTIONS) {
    console.log(`${gatewayConnections} connections to the gateway:`);
    for (const target of TARGETS) console.log(limitText(target, { gatewayConnections }));
  }
}
