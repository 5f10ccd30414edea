import { startChild } from '../shared/child.mjs';
import { atMost, rowsOf } from '../shared/result.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { absence, POSTGRES } from '../shared/services.mjs';
import { median } from '../shared/statistics.mjs';

/** `--lines 1000000` closes a day of more. */
const PAYMENTS = 20_000;
const BARE = 'reading both by hand';
const CLOSE = 'close()';

export const title = 'A day that is closed with a statement, in PostgreSQL';

export async function measure(size) {
  const absent = await absence(POSTGRES);
  if (absent) return { unit: 'ms', rows: [], goals: [], remarks: [absent] };
  const payments = 2 * Math.ceil((size.lines ?? PAYMENTS * size.share) / 2);
  const gateway = await startChild('batches/gateway.mjs');
  const { value: keys } = await gateway.ask('keys');
  const schema = `payments_bench_${process.pid}`;
  const start = () => startChild('reconciliation/driver.mjs', { url: POSTGRES.url, keys, schema });
  const filler = await start();
  await filler.ask('fill', payments);
  // The memory of this one is that of closing alone.
  const closer = await start();
  const { value: before } = await closer.ask('peakMb');
  const subjects = [
    { name: BARE, driver: filler, method: 'bare' },
    { name: CLOSE, driver: closer, method: 'close' },
  ];
  const samples = await interleaved(subjects, size, async ({ driver, method }) => {
    const { value } = await driver.ask(method, payments);
    await filler.ask('clear');
    return ((method === 'close' ? value.ms : value) * 1_000) / payments;
  });
  const { value: peak } = await closer.ask('peakMb');
  await filler.ask('drop');
  for (const driver of [filler, closer]) {
    await driver.ask('stop');
    await driver.stop();
  }
  await gateway.stop();
  return {
    unit: 'µs a payment',
    rows: rowsOf(samples, BARE),
    goals: [
      // A million in a minute.
      atMost('a payment with its row', median(samples.get(CLOSE)), 60, 'µs'),
      atMost('memory of the process, at most', peak, 300, 'MB'),
    ],
    remarks: [
      `${payments} payments of a day, half of them settled collections and half accepted payouts, and a statement of as many rows in another order. By hand: the journal is read with a cursor and parsed, and the lines of the statement counted. The process that closes had ${before.toFixed(0)} MB before, and ${peak.toFixed(0)} MB at most.`,
    ],
  };
}
