// Simulates a shard: processes of the package that share one PostgreSQL server. tables.mjs prints what it
// gives at the sizes of plan.mjs.
import { Clock, Places, randomOf } from './engine.mjs';
import { machine, Process, Server, useByOthers } from './model.mjs';
import { RATES } from './rates.mjs';

/** What keeps up ends nearly as many as arrive: the rest is this share of them, and chance. */
const BACKLOG = 0.03;

/**
 * Lets payments arrive, each of which has a webhook later, or keeps so many of a kind going.
 *
 * @param options `seed`, `seconds` after `warmUpSeconds`; `paymentsPerSecond`, or `atOnce` of a `kind`; `processes`,
 * `connections` and `gatewayConnections` of each, `gatewayMs`, `webhookAfterMs`; `cores` of the server, or `host`
 * (`cores`, and the share that `others` use) that everything shares with the gateway; `rates` if others than the measured ones.
 */
export function simulate(options) {
  const { seed = 1, seconds = 5, warmUpSeconds = 2, rates = RATES } = options;
  const shop = openShop(new Clock(), { rates, ...options }, randomOf(seed));
  if (options.atOnce === undefined) shop.letArrive();
  else for (let index = 0; index < options.atOnce; index += 1) shop.keepGoing();
  shop.clock.runUntil(warmUpSeconds * 1_000);
  shop.startMeasuring();
  shop.clock.runUntil((warmUpSeconds + seconds) * 1_000);
  return shop.report(seconds);
}

function openShop(clock, options, random) {
  const { rates, host, processes: count, connections, gatewayConnections = 50, gatewayMs = 0 } = options;
  const shared = host && machine(clock, host.cores);
  if (shared) useByOthers({ clock, random }, shared, host);
  const cores = shared ?? machine(clock, options.cores);
  const server = new Server(clock, cores, rates.server);
  const own = { server, cores: shared ?? machine(clock), connections, gatewayConnections };
  const processes = Array.from({ length: count }, () => new Process(clock, own));
  const helper = { thread: new Places(clock, 1), cores: shared };
  const kinds = stepsOf(clock, rates, { gatewayMs, helper: shared && helper });
  const open = new Set();
  const counts = { arrived: 0, done: 0 };
  let measured = freshMeasure();

  const begin = (kind, ended) => {
    const job = { kind, startedAt: clock.now, process: processes[Math.floor(random() * count)] };
    counts.arrived += 1;
    measured.arrived[kind] += 1;
    open.add(job);
    play(kinds[kind], job, () => {
      counts.done += 1;
      open.delete(job);
      measured.tookMs[kind].push(clock.now - job.startedAt);
      ended();
    });
  };
  const { paymentsPerSecond, webhookAfterMs = 500, kind = 'payment' } = options;
  const letArrive = () => {
    clock.after((-Math.log(1 - random()) * 1_000) / paymentsPerSecond, () => {
      begin('payment', () => clock.after(webhookAfterMs, () => begin('webhook', () => undefined)));
      letArrive();
    });
  };
  const keepGoing = () => begin(kind, keepGoing);
  const allPlaces = () => [cores.places, ...processes.flatMap(({ places }) => Object.values(places))];
  return {
    clock,
    letArrive,
    keepGoing,
    startMeasuring() {
      measured = { ...freshMeasure(), openBefore: open.size, writes: server.writes };
      for (const places of allPlaces()) places?.reset();
      for (const process of processes) Object.assign(process, { groups: 0, statements: 0, mostWaiting: 0 });
    },
    report: (seconds) => ({
      ...counts,
      inSystem: open.size,
      ...resultOf(measured, open.size, seconds),
      ...usageOf({ processes, server: cores.places, seconds }),
      writesPerSecond: (server.writes - measured.writes) / seconds,
    }),
  };
}

function freshMeasure() {
  return { arrived: { payment: 0, webhook: 0 }, tookMs: { payment: [], webhook: [] }, openBefore: 0 };
}

/** The steps of each kind: the time of the process is spread evenly, before the first and after each of them. */
function stepsOf(clock, { payment, webhook }, { gatewayMs, helper }) {
  const { before, beside, after } = payment.statements;
  const ofPayment = payment.processMs / (before.length + after.length + 2);
  const ofWebhook = webhook.processMs / (webhook.statements.length + 1);
  const think = (ms) => (job, done) => job.process.think(ms, done);
  const ask = (ms) => (statement) => (job, done) => job.process.ask(statement, ms, done);
  const help = (ms, done) => (helper ? useHelper(helper, ms, done) : done());
  const send = ({ process }, done) =>
    process.send(
      (answered) => clock.after(gatewayMs, () => help(payment.gatewayMs, answered)),
      ofPayment,
      done,
    );
  const sendBeside = (job, done) => {
    let left = 1 + beside.length;
    const end = () => {
      left -= 1;
      if (left === 0) done();
    };
    send(job, end);
    for (const statement of beside) job.process.ask(statement, 0, end);
  };
  return {
    payment: [think(ofPayment), ...before.map(ask(ofPayment)), sendBeside, ...after.map(ask(ofPayment))],
    webhook: [
      (_, done) => help(webhook.loadMs, done),
      think(ofWebhook),
      ...webhook.statements.map(ask(ofWebhook)),
    ],
  };
}

function useHelper({ thread, cores }, ms, done) {
  thread.hold((release) =>
    cores.run(ms, () => {
      release();
      done();
    }),
  );
}

function play(steps, job, ended, index = 0) {
  if (index === steps.length) return ended();
  steps[index](job, () => play(steps, job, ended, index + 1));
}

function resultOf({ arrived, tookMs, openBefore }, openNow, seconds) {
  const all = arrived.payment + arrived.webhook;
  const grewBy = openNow - openBefore;
  return {
    paymentsPerSecond: tookMs.payment.length / seconds,
    webhooksPerSecond: tookMs.webhook.length / seconds,
    payment: latencies(tookMs.payment),
    webhook: latencies(tookMs.webhook),
    keepsUp: grewBy < BACKLOG * all + 2 * Math.sqrt(all),
  };
}

function latencies(tookMs) {
  const sorted = Float64Array.from(tookMs).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** How much of each resource was used, and the longest queue before it. */
function usageOf({ processes, server, seconds }) {
  const ms = seconds * 1_000;
  const mean = (name) =>
    processes.reduce((sum, { places }) => sum + places[name].utilization(ms), 0) / processes.length;
  const longest = (name) => Math.max(...processes.map(({ places }) => places[name].longestQueue));
  const groups = processes.reduce((sum, each) => sum + each.groups, 0);
  const statements = processes.reduce((sum, each) => sum + each.statements, 0);
  const names = { process: 'thread', connections: 'pool', 'gateway connections': 'gateway' };
  const of = (work) => Object.fromEntries(Object.entries(names).map(([name, key]) => [name, work(key)]));
  return {
    utilization: { ...of(mean), server: server?.utilization(ms) ?? 0 },
    longestQueue: {
      ...of(longest),
      connections: Math.max(...processes.map(({ mostWaiting }) => mostWaiting)),
      server: server?.longestQueue ?? 0,
    },
    statementsPerCommit: statements / groups,
  };
}

/**
 * Raises the rate by a tenth each time until the shard does not keep up.
 *
 * @returns The last rate that it kept up with, and the resource that was used most when it did not.
 */
export function findLimit(options) {
  for (let rate = options.paymentsPerSecond; ; rate *= 1.1) {
    const result = simulate({ ...options, paymentsPerSecond: rate });
    if (result.keepsUp) continue;
    const [[resource]] = Object.entries(result.utilization).sort(([, one], [, other]) => other - one);
    return { keptUpWith: rate / 1.1, resource, utilization: result.utilization };
  }
}
