import { interleaved } from '../shared/rounds.mjs';
import { atMost, rowsOf, timesAtMost } from '../shared/result.mjs';
import { BARE, CLIENTS, THROUGH_AXIOS, MODULE, startClients } from './clients.mjs';

const CALLS = 10_000;
const MANY_CALLS = 100_000;
const CONCURRENCY = 50;
/** What a heap may differ by from one collection of garbage to the next. */
const NOTHING_MB = 2;

/** What an application has anyway: the package is a part of one. */
const APPLICATION = { name: `${BARE}, in an application`, client: 'nest', inside: 'bare', peers: true };

export const title = 'Memory';

export async function measure(size) {
  const calls = Math.ceil(CALLS * size.share);
  const measured = [...CLIENTS.filter(({ name }) => name !== THROUGH_AXIOS), APPLICATION];
  const samples = await interleaved(measured, size, async (client) => {
    const { subjects, stop } = await startClients([client]);
    const [{ child }] = subjects;
    await child.ask('many', calls, CONCURRENCY);
    const { value } = await child.ask('peakMb');
    await stop();
    return value;
  });
  const grown = await growth(Math.ceil(MANY_CALLS * size.share), Math.ceil(2 * CALLS * size.share));
  return {
    unit: `MB at the peak of ${calls} calls`,
    rows: rowsOf(samples, BARE),
    goals: [
      timesAtMost(`against ${BARE}`, samples, MODULE, BARE, 1.4),
      atMost(`heap grown over ${Math.ceil(MANY_CALLS * size.share)} calls`, grown, NOTHING_MB, 'MB'),
    ],
    remarks: [
      'A fresh process each time. The module keeps the last 10,000 payments in its memory storage; the others keep nothing. “In an application”: of Nest, with HttpModule, class-validator, class-transformer and @nestjs/config.',
    ],
  };
}

/** Once the journal is full. */
async function growth(calls, warmUp) {
  const { subjects, stop } = await startClients([
    { name: MODULE, client: 'module', execArgv: ['--expose-gc'] },
  ]);
  const [{ child }] = subjects;
  await child.ask('many', warmUp, CONCURRENCY);
  const { value: before } = await child.ask('heapMb');
  await child.ask('many', calls, CONCURRENCY);
  const { value: after } = await child.ask('heapMb');
  await stop();
  return Math.max(0, after - before);
}
