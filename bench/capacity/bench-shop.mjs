import { startChild } from '../shared/child.mjs';
import { POSTGRES, absence } from '../shared/services.mjs';
import { ownDatabase } from '../throughput/own-database.mjs';
import { machineMs, watchServer } from './server.mjs';

/** The package prepares its statements if the journal has a megabyte when a process begins. */
const FILLING = 2_000;
const WARMING = 1_500;

/**
 * Starts a gateway, a shop on an empty database of its own with a warm process, and a load of webhooks.
 *
 * @returns `run(kind, times, atOnce)` makes payments, or sends the webhooks of those that have none, and gives what one took.
 */
export async function openBenchShop({ poolSize, latencyMs = 0 }) {
  const missing = await absence(POSTGRES);
  if (missing) throw new Error(missing);
  const database = await ownDatabase(POSTGRES);
  const gateway = await startChild('targets/gateway.mjs', { latencyMs });
  const load = await startChild('targets/load.mjs', { form: 'payments' });
  const { value: port } = await gateway.ask('port');
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const startShop = () => startChild('capacity/shop.mjs', { baseUrl, url: database.url, poolSize });
  const first = await startShop();
  await first.ask('pay', FILLING, 64);
  await first.stop();
  const shop = await startShop();
  const server = await watchServer(database.url);
  const open = [];
  const { value: receiver } = await shop.ask('port');

  const kinds = {
    async payment(times, atOnce) {
      const { value } = await shop.ask('pay', times, atOnce);
      open.push(...value.references);
      return value;
    },
    async webhook(times, atOnce) {
      const { value } = await load.ask('throughput', [receiver], open.splice(0, times), atOnce);
      return value;
    },
  };
  const helpersMs = async () => {
    const asked = await Promise.all([gateway.ask('cpuMs'), load.ask('cpuMs')]);
    return asked.map(({ value }) => value);
  };
  const run = async (kind, times, atOnce) => {
    const [{ value: cpuBefore }, before] = [await shop.ask('cpuMs'), await server.used()];
    const [helpersBefore, machineBefore] = [await helpersMs(), machineMs()];
    const { done, allMs, p50, p99, failures } = await kinds[kind](times, atOnce);
    const [machine, helpers] = [machineMs(), await helpersMs()];
    const [{ value: cpu }, used] = [await shop.ask('cpuMs'), await server.used()];
    if (done < times) throw new Error(`${done} of ${times}: ${JSON.stringify(failures)}`);
    const ours = { process: cpu - cpuBefore, server: used.cpuMs - before.cpuMs };
    const helper = helpers.map((value, index) => value - helpersBefore[index]);
    const others = machine.busy - machineBefore.busy - ours.process - ours.server - helper[0] - helper[1];
    return {
      perSecond: (done * 1_000) / allMs,
      p50,
      p99,
      processMs: ours.process / done,
      serverMs: ours.server / done,
      gatewayMs: helper[0] / done,
      loadMs: helper[1] / done,
      commits: (used.commits - before.commits) / done,
      walBytes: (used.walBytes - before.walBytes) / done,
      /** The share of the processors that other work of the machine took. */
      others: Math.max(0, others) / (machine.all - machineBefore.all),
    };
  };
  await run('payment', WARMING, 64);
  await run('webhook', WARMING, 64);
  return {
    run,
    server,
    purge: async () => (await shop.ask('purge')).value,
    async close() {
      await server.close();
      await Promise.all([shop, gateway, load].map((child) => child.stop()));
      await database.drop();
    },
  };
}
