import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { atMost, rowsOf, timesAtMost } from '../shared/result.mjs';

const TIMES = 30_000;
const OURS = 'nestjs-payments';
const CLASSIC = 'plainToInstance + validateSync';

export const title = 'Checking one request';

export async function measure(size) {
  const child = await startChild('validation/driver.mjs');
  const times = Math.ceil(TIMES * size.share);
  const subjects = [OURS, CLASSIC, 'validateSync alone'].map((name) => ({ name }));
  const samples = await interleaved(subjects, size, async ({ name }) => {
    const { cpuMs } = await child.ask('check', name, times);
    return (cpuMs * 1_000) / times;
  });
  const { value: different } = await child.ask('differentMessages');
  await child.stop();
  return {
    unit: 'µs of CPU a request',
    rows: rowsOf(samples, CLASSIC),
    goals: [
      timesAtMost(`against ${CLASSIC}`, samples, OURS, CLASSIC, 0.25),
      atMost('bad requests with other messages', different, 0, ''),
    ],
    remarks: [`The same class, MobileMoneyCollectionDto, and the same request, ${times} times a round.`],
  };
}
