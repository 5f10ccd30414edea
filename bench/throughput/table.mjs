import { atLeast, atMost } from '../shared/result.mjs';
import { median, ratio, spread } from '../shared/statistics.mjs';
import { LATE, TIME_OUT } from './under-load.mjs';
import { cellText } from './measure.mjs';

/** Of the rate of the floor. */
const LEAST_RATE = 0.7;
/** Times the p99 of the floor. */
const MOST_P99 = 2;
/** Of the best rate, with the most at once. */
const LEAST_AT_MOST = 0.9;
const GOAL_AT = 64;

export const COLUMNS = [
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'by hand',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'refused or failed',
];

/** One row for each cell of a storage: the package, and beside it the floor. */
export function rowsOfStorage({ name, cells }) {
  return cells.map(({ samples, ...cell }) => {
    const ours = samples.get('package');
    const below = floorOf(samples);
    return {
      name: `${name}, ${cellText(cell)}`,
      ...spread(rates(ours)),
      ratio: ratio(rates(ours), rates(below)).median,
      more: [...middles(ours), median(rates(below)), ...middles(below), failuresText(ours)],
    };
  });
}

export function goalsOfStorage({ name, cells }) {
  const goals = [1, 3].flatMap((processes) => {
    const of = cells.filter((cell) => cell.processes === processes);
    const who = processes === 1 ? name : `${name}, ${processes} processes`;
    return of.length > 1 ? goalsOfProcesses(who, of) : [];
  });
  const samples = cells.flatMap((cell) => [...cell.samples.get('package')]);
  const timeOuts = samples.reduce(
    (sum, { failures }) => sum + (failures[TIME_OUT] ?? 0) + (failures[LATE] ?? 0),
    0,
  );
  return [...goals, atMost(`${name}: time-outs`, timeOuts, 0, '')];
}

function goalsOfProcesses(who, cells) {
  const { samples } = cells.find(({ concurrency }) => concurrency === GOAL_AT);
  const ours = samples.get('package');
  const below = floorOf(samples);
  const share = ratio(rates(ours), rates(below));
  const late = ratio(p99s(ours), p99s(below));
  const byCell = cells.map((cell) => median(rates(cell.samples.get('package'))));
  return [
    {
      ...atLeast(`${who}, ${GOAL_AT} at once: rate`, share.median, LEAST_RATE),
      min: share.min,
      max: share.max,
    },
    { ...atMost(`${who}, ${GOAL_AT} at once: p99`, late.median, MOST_P99), min: late.min, max: late.max },
    atLeast(`${who}, most at once against the best`, byCell.at(-1) / Math.max(...byCell), LEAST_AT_MOST),
  ];
}

/** How much of one core a helper used at most, and where. */
export function busiest(storages, processes) {
  const shares = storages.flatMap(({ name, cells }) =>
    cells
      .filter((cell) => cell.processes === processes)
      .flatMap(({ samples, ...cell }) =>
        [...samples].map(([subject, all]) => ({
          share: median(all.map(({ helperCpuMs, allMs }) => helperCpuMs / allMs)),
          where: `${name}, ${cellText(cell)}, ${subject === 'package' ? 'the package' : 'by hand'}`,
        })),
      ),
  );
  const most = shares.reduce((found, each) => (each.share > found.share ? each : found), { share: 0 });
  return `${Math.round(most.share * 100)} % of a core (${most.where})`;
}

function floorOf(samples) {
  return samples.get('floor') ?? samples.get('bare');
}

function rates(samples) {
  return samples.map(({ rate }) => rate);
}

function p99s(samples) {
  return samples.map(({ p99 }) => p99);
}

function middles(samples) {
  const of = (read) => median(samples.map(read));
  return [of(({ p50 }) => p50), of(({ p99 }) => p99), of(({ cpuMs, done }) => (cpuMs * 1_000) / done)];
}

function failuresText(samples) {
  const all = {};
  for (const { failures } of samples) {
    for (const [kind, times] of Object.entries(failures)) all[kind] = (all[kind] ?? 0) + times;
  }
  return Object.entries(all)
    .map(([kind, times]) => `${times} × ${kind}`)
    .join(', ');
}
