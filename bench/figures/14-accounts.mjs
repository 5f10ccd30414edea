import { startChild } from '../shared/child.mjs';
import { atMost, rowsOf, timesAtMost } from '../shared/result.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { median } from '../shared/statistics.mjs';

const ACCOUNTS = 10_000;
/** Five rounds of this many are 100,000. */
const CALLS = 20_000;
const CONCURRENCY = 50;
const ONE = 'one account of a resolver';

export const title = 'Accounts from a resolver';

export async function measure(size) {
  const accounts = Math.ceil(ACCOUNTS * size.share);
  const calls = Math.ceil(CALLS * size.share);
  const gateway = await startChild('targets/gateway.mjs');
  const { value: port } = await gateway.ask('port');
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const start = (options) =>
    startChild('accounts/driver.mjs', { baseUrl, ...options }, { execArgv: ['--expose-gc'] });

  const idle = [];
  for (let round = 0; round < size.rounds; round += 1) {
    const child = await start({ accounts });
    idle.push((await child.ask('idle')).value);
    await child.stop();
  }
  const many = `${accounts} accounts in turn`;
  const subjects = [
    { name: ONE, child: await start({ accounts: 1 }) },
    { name: many, child: await start({ accounts }) },
  ];
  const samples = await interleaved(subjects, size, async ({ child }) => {
    const { cpuMs } = await child.ask('many', calls, CONCURRENCY);
    return (cpuMs * 1_000) / calls;
  });
  await Promise.all([gateway, ...subjects.map(({ child }) => child)].map((each) => each.stop()));
  const resolutions = Math.max(...idle.map((one) => one.resolutions));
  return {
    unit: 'µs of CPU a call',
    rows: rowsOf(samples, ONE),
    goals: [
      atMost('memory of an idle account', median(idle.map(({ kb }) => kb)), 10, 'kB'),
      atMost('resolutions for the first calls of an account', resolutions, 1, ''),
      timesAtMost(`a call of ${accounts} accounts against one`, samples, many, ONE, 1.1),
    ],
    remarks: [
      `POST /payments/mobile-money, ${calls} calls a round at concurrency ${CONCURRENCY}, in one process with the memory storage and with webhooks. An idle account has made two calls at once, which found it cold; memory is what the heap holds after a garbage collection, without payments.`,
    ],
  };
}
