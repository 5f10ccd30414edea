import { ratio, spread } from './statistics.mjs';

/**
 * One row of a figure's table for each subject.
 *
 * @param base Name of the subject that the others are compared with.
 */
export function rowsOf(samples, base) {
  return [...samples].map(([name, values]) => ({
    name,
    ...spread(values),
    ratio: ratio(values, samples.get(base)).median,
  }));
}

/** One goal: a number that must not be above another. */
export function atMost(what, measured, most, unit = '×') {
  return { what, measured, most, unit, met: measured <= most };
}

/** One goal: a number that must not be below another. */
export function atLeast(what, measured, least, unit = '×') {
  return { what, measured, least, unit, met: measured >= least };
}

/** A goal on how many times as much as another subject this one takes. */
export function timesAtMost(what, samples, name, base, most) {
  const { median, min, max } = ratio(samples.get(name), samples.get(base));
  return { ...atMost(what, median, most), min, max };
}
