import { startChild } from '../shared/child.mjs';
import { atMost, rowsOf } from '../shared/result.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { absence, POSTGRES } from '../shared/services.mjs';
import { median } from '../shared/statistics.mjs';

/** `--lines 1000000` closes a day of more. */
const PAYMENTS = 20_000;
/** Of the process that closes. Without a limit Node.js lets the heap grow although less would do. */
const HEAP_MB = 150;
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
  const start = (execArgv = []) =>
    startChild('reconciliation/driver.mjs', { url: POSTGRES.url, keys, schema }, { execArgv });
  const filler = await start();
  await filler.ask('fill', payments);
  const peaks = [];
  let before = 0;
  /** Each day is closed by a process of its own: its memory is that of closing alone. */
  const closeOnce = async () => {
    const closer = await start([`--max-old-space-size=${HEAP_MB}`]);
    before = (await closer.ask('peakMb')).value;
    const { ms } = (await closer.ask('close', payments)).value;
    peaks.push((await closer.ask('peakMb')).value);
    await closer.ask('stop');
    await closer.stop();
    await filler.ask('clear');
    return ms;
  };
  const subjects = [
    { name: BARE, run: async () => (await filler.ask('bare', payments)).value },
    { name: CLOSE, run: closeOnce },
  ];
  const samples = await interleaved(subjects, size, async ({ run }) => ((await run()) * 1_000) / payments);
  const peak = Math.max(...peaks);
  await filler.ask('drop');
  await filler.ask('stop');
  await filler.stop();
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
      `${payments} payments of a day, half of them settled collections and half accepted payouts, and a statement of as many rows in another order. By hand: the journal is read with a cursor and parsed, and the lines of the statement counted. A process that closes runs with \`--max-old-space-size=${HEAP_MB}\`; it had ${before.toFixed(0)} MB before, and ${peak.toFixed(0)} MB at most.`,
    ],
  };
}
