import { interleaved } from '../shared/rounds.mjs';
import { rowsOf, timesAtMost } from '../shared/result.mjs';
import { percentile } from '../shared/statistics.mjs';
import { BARE, CLIENTS, MODULE, startClients, STRIPE } from './clients.mjs';

const CALLS = 1_000;

export const title = 'One call after the other, p50';

export async function measure(size) {
  const { subjects, stop } = await startClients(CLIENTS);
  const calls = Math.ceil(CALLS * size.share);
  const samples = await interleaved(subjects, size, async ({ child }) => {
    const { value } = await child.ask('oneByOne', calls);
    return percentile(value, 0.5);
  });
  await stop();
  return {
    unit: 'µs from call to result',
    rows: rowsOf(samples, BARE),
    goals: [timesAtMost(`against ${STRIPE}`, samples, MODULE, STRIPE, 1)],
    remarks: [`${calls} calls a round. Wall-clock time: whatever else the machine does shows in it.`],
  };
}
