import { startChild } from '../shared/child.mjs';
import { atMost, rowsOf } from '../shared/result.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { absence, POSTGRES } from '../shared/services.mjs';
import { median } from '../shared/statistics.mjs';

/** `--lines 1000000` loads more. */
const LINES = 10_000;
const PAID_LINES = 2_000;
const PACED_LINES = 500;
const BARE = 'the same rows by hand';
const LOAD = 'create()';

export const title = 'Batches of payouts in PostgreSQL';

export async function measure(size) {
  const absent = await absence(POSTGRES);
  if (absent) return { unit: 'ms', rows: [], goals: [], remarks: [absent] };
  const lines = size.lines ?? Math.ceil(LINES * size.share);
  const paidLines = Math.ceil(PAID_LINES * size.share);
  const gateway = await startChild('batches/gateway.mjs');
  const { value: keys } = await gateway.ask('keys');
  const driver = await startChild('batches/driver.mjs', { url: POSTGRES.url, keys });

  const subjects = [
    { name: BARE, method: 'bare' },
    { name: LOAD, method: 'load' },
  ];
  const progress = [];
  const samples = await interleaved(subjects, size, async ({ method }) => {
    const { value } = await driver.ask(method, lines);
    if (method === 'load') progress.push((await driver.ask('progress')).value);
    await driver.ask('clear');
    return (value * 1_000) / lines;
  });
  // A process that does nothing else says how much memory a load needs.
  const loading = await startChild('batches/driver.mjs', { url: POSTGRES.url, keys });
  const { value: before } = await loading.ask('peakMb');
  await loading.ask('load', lines);
  const { value: peak } = await loading.ask('peakMb');

  const paid = [];
  for (let round = 0; round < size.rounds; round += 1) {
    paid.push((await driver.ask('pay', paidLines)).value);
    await driver.ask('clear');
  }
  const paced = await driver.ask('paced', Math.ceil(PACED_LINES * size.share));
  for (const child of [driver, loading]) {
    await child.ask('close');
    await child.stop();
  }
  await gateway.stop();
  const of = (what) => median(paid.map((each) => each[what]));
  return {
    unit: 'µs a line',
    rows: rowsOf(samples, BARE),
    goals: [
      // A million in a minute.
      atMost('a line that is loaded', median(samples.get(LOAD)), 60, 'µs'),
      atMost('memory of a process that loads, at most', peak, 200, 'MB'),
      atMost('a look at the progress', median(progress), 50, 'ms'),
      atMost('CPU of a line that is paid', of('pay'), 1, 'ms'),
      atMost('a check, against what the rate allows', paced.value.check, 1.25),
      atMost('a payment, against what the rate allows', paced.value.pay, 1.25),
    ],
    remarks: [
      `${lines} lines a round, one chunk of 100 after the other. By hand: one INSERT for the lines, the chunk and the counts, with nothing checked or hashed. The process had ${before.toFixed(0)} MB when it had started, and ${peak.toFixed(0)} MB at most while it loaded. ${paidLines} lines were paid a round, with the emulator in a process of its own: the CPU is that of the application alone; to check a line costs ${of('check').toFixed(2)} ms more.`,
    ],
  };
}
