import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { rowsOf } from '../shared/result.mjs';

const TIMES = 20_000;

export const title = 'For scale: signature and JSON alone';

export async function measure(size) {
  const child = await startChild('webhooks/verification.mjs');
  const { value: names } = await child.ask('names');
  const times = Math.ceil(TIMES * size.share);
  const subjects = names.map((name) => ({ name }));
  const samples = await interleaved(subjects, size, async ({ name }) => {
    const { cpuMs } = await child.ask('check', name, times);
    return (cpuMs * 1_000) / times;
  });
  await child.stop();
  return {
    unit: 'µs of CPU a webhook',
    rows: rowsOf(samples, names[0]),
    goals: [],
    remarks: [`The same body of 1 kB, ${times} times a round.`],
  };
}
