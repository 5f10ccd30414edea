import { interleaved } from '../shared/rounds.mjs';
import { rowsOf, timesAtMost } from '../shared/result.mjs';
import { BARE, CLIENTS, THROUGH_AXIOS, MODULE, PLAIN, startClients, STRIPE } from './clients.mjs';

const CALLS = 6_000;
const CONCURRENCY = 50;
const FOR_SCALE = [
  { name: 'undici alone', client: 'undici' },
  { name: 'axios alone', client: 'axios' },
  { name: 'openai-node', client: 'openai' },
];

export const title = 'A call through the module';

export async function measure(size) {
  const { subjects, stop } = await startClients([...CLIENTS, ...FOR_SCALE]);
  const calls = Math.ceil(CALLS * size.share);
  const samples = await interleaved(subjects, size, async ({ child }) => {
    const { cpuMs } = await child.ask('many', calls, CONCURRENCY);
    return (cpuMs * 1_000) / calls;
  });
  await stop();
  const goal = (base, most) => timesAtMost(`against ${base}`, samples, MODULE, base, most);
  return {
    unit: 'µs of CPU a call',
    rows: rowsOf(samples, BARE),
    goals: [goal(BARE, 1), goal(STRIPE, 0.55), goal(PLAIN, 0.35)],
    remarks: [
      `POST /payments/mobile-money, ${calls} calls a round at concurrency ${CONCURRENCY}, answers of 1 kB. "${THROUGH_AXIOS}": the application has reached for axios, to add interceptors or an adapter of its own; until then the module passes it by.`,
    ],
  };
}
