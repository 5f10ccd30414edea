import { describe, it } from 'vitest';
import { playDay } from './merchant-day.js';

const { SANDBOX_SEEDS = '3', SANDBOX_FIRST = '1' } = process.env;
const seeds = Array.from({ length: Number(SANDBOX_SEEDS) }, (_, index) => Number(SANDBOX_FIRST) + index);

describe('a merchant bears whatever the specification leaves open', () => {
  it.each(seeds)('under seed %d', (seed) => playDay(seed), 60_000);
});
