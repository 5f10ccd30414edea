import { interleaved } from '../shared/rounds.mjs';
import { rowsOf, timesAtMost } from '../shared/result.mjs';
import { BARE, MODULE, startClients, STRIPE } from './clients.mjs';

const CALLS = 6_000;
const CONCURRENCY = 50;
const CLIENTS = [
  { name: BARE, client: 'bare', mix: 'payouts' },
  { name: MODULE, client: 'module', mix: 'payouts' },
  { name: STRIPE, client: 'stripe', mix: 'payouts' },
];

export const title = 'A payout to a bank through the module';

export async function measure(size) {
  const { subjects, stop } = await startClients(CLIENTS);
  const calls = Math.ceil(CALLS * size.share);
  const samples = await interleaved(subjects, size, async ({ child }) => {
    const { cpuMs } = await child.ask('many', calls, CONCURRENCY);
    return (cpuMs * 1_000) / calls;
  });
  await stop();
  return {
    unit: 'µs of CPU a call',
    rows: rowsOf(samples, BARE),
    goals: [
      timesAtMost(`against ${BARE}`, samples, MODULE, BARE, 1.3),
      timesAtMost(`against ${STRIPE}`, samples, MODULE, STRIPE, 0.65),
    ],
    remarks: [
      `POST /disbursements/bank, ${calls} calls a round at concurrency ${CONCURRENCY}, answers of 1 kB.`,
    ],
  };
}
