// What a number of payments a second needs, calculated from rates.mjs. tables.mjs prints the tables of
// docs/capacity.md.
import { RATES } from './rates.mjs';

const SECONDS_A_DAY = 86_400;
const DAYS_A_MONTH = 30;
const BYTES_A_MB = 1_000_000;
const BYTES_A_GB = 1_000_000_000;
/** So that the others continue while one restarts. */
const FEWEST_PROCESSES = 2;
const FEWEST_CONNECTIONS = 2;

/** What the tables of the page assume; none of it is measured. */
export const ASSUMED = {
  gatewayMs: 500,
  utilization: 0.6,
  gatewayConnections: 50,
  coresOfDatabase: 16,
  keepDays: 90,
};

/**
 * Calculates the size for a rate of payments, each of which has one webhook.
 *
 * @param options What differs from `ASSUMED`, and `rates` if they are not the measured ones.
 */
export function plan(paymentsPerSecond, options = {}) {
  const { rates = RATES, ...given } = options;
  const assumed = { ...ASSUMED, ...given };
  const databases = databasesFor(paymentsPerSecond, assumed, rates);
  const processes = processesFor(paymentsPerSecond, databases.count, assumed, rates);
  const connections = connectionsFor(paymentsPerSecond / processes.count, assumed, rates);
  return {
    paymentsPerSecond,
    processes: processes.count,
    processesForCpu: processes.forCpu,
    processesForGateway: processes.forGateway,
    connections,
    databases: databases.count,
    coresOfDatabase: databases.cores,
    connectionsOfDatabase: (connections * processes.count) / databases.count,
    inFlight: Math.ceil((paymentsPerSecond * assumed.gatewayMs) / 1_000),
    ...diskFor(paymentsPerSecond, assumed, rates),
  };
}

function databasesFor(rate, { utilization, coresOfDatabase }, rates) {
  const cores = (rate * serverMs(rates)) / 1_000 / utilization;
  const count = Math.max(1, Math.ceil(cores / coresOfDatabase));
  return { count, cores: Math.ceil(cores / count) };
}

/** As if no statements shared a commit: those that do take less. The purge of as many payments is part of it. */
function serverMs({ server, payment, webhook, purge }) {
  const { before, beside, after } = payment.statements;
  const all = [...before, ...beside, ...after, ...webhook.statements];
  return all.reduce((sum, statement) => sum + statement.serverMs + server.groupMs, purge.serverMs);
}

function processesFor(rate, databases, assumed, { payment, webhook }) {
  const { utilization, gatewayMs, gatewayConnections } = assumed;
  const forCpu = Math.ceil((rate * (payment.processMs + webhook.processMs)) / 1_000 / utilization);
  const forGateway = Math.ceil((rate * gatewayMs) / 1_000 / (gatewayConnections * utilization));
  const each = Math.ceil(Math.max(FEWEST_PROCESSES, forCpu, forGateway) / databases);
  return { forCpu, forGateway, count: each * databases };
}

/** How many a process holds at once if no statements shared one; the disk is waited for once and a half. */
function connectionsFor(rateOfProcess, { utilization }, { server, payment, webhook }) {
  const { before, beside, after } = payment.statements;
  const all = [...before, ...beside, ...after, ...webhook.statements];
  const heldMs = all.reduce(
    (sum, { serverMs, writes }) =>
      sum + server.roundTripMs + server.groupMs + serverMs + (writes ? 1.5 * server.flushMs : 0),
    0,
  );
  return Math.max(FEWEST_CONNECTIONS, Math.ceil((rateOfProcess * heldMs) / 1_000 / utilization));
}

function diskFor(rate, { keepDays }, { bytes, purge }) {
  const paymentsOfDay = rate * SECONDS_A_DAY;
  const gbOfDay = (paymentsOfDay * bytes.stored) / BYTES_A_GB;
  const walBytes = bytes.walOfPayment + bytes.walOfWebhook + purge.walBytes;
  return {
    gbOfDay,
    gbOfMonth: gbOfDay * DAYS_A_MONTH,
    gbKept: gbOfDay * keepDays,
    gbOfTombstonesOfMonth: (paymentsOfDay * DAYS_A_MONTH * bytes.tombstone) / BYTES_A_GB,
    walMbPerSecond: (rate * walBytes) / BYTES_A_MB,
    walGbOfDay: (paymentsOfDay * walBytes) / BYTES_A_GB,
  };
}
