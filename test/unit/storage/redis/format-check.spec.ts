import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FormatCheck } from '../../../../lib/storage/redis/format-check.js';
import { RedisKeys } from '../../../../lib/storage/redis/redis-keys.js';

const SHOP = { account: 'shop', environment: 'sandbox' } as const;
const MINUTE_MS = 60_000;

let now: number;
/** What Redis holds as the format; undefined: it cannot be reached. */
let format: string | undefined;
let scripts: { readonly run: () => Promise<unknown>; lostAt: number };
let listed: string[];
/** Whether the list of accounts can be reached. */
let answers: Promise<boolean>;
let check: FormatCheck;

beforeEach(() => {
  now = 1_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  format = '1 1';
  scripts = {
    lostAt: -Infinity,
    run: () => (format === undefined ? Promise.reject(new Error('away')) : Promise.resolve(format)),
  };
  listed = [];
  answers = Promise.resolve(true);
  const accounts = {
    add: ({ account }: typeof SHOP) => {
      listed.push(account);
      return answers;
    },
  };
  check = new FormatCheck(scripts as never, new RedisKeys(''), accounts);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Checks the account, and lets what runs beside it end. */
async function checked(): Promise<void> {
  await check.of(SHOP);
  await new Promise(setImmediate);
}

it('an account is listed at its first use, and again after a minute', async () => {
  await checked();
  now += MINUTE_MS;
  await checked();
  expect(listed).toEqual(['shop']);
  now += 1;
  await checked();
  expect(listed).toEqual(['shop', 'shop']);
  now += MINUTE_MS;
  await checked();
  expect(listed).toEqual(['shop', 'shop']);
});

it('an account is listed again once the connection was lost', async () => {
  await checked();
  scripts.lostAt = now += 1;
  now += 1;
  await checked();
  await checked();
  expect(listed).toEqual(['shop', 'shop']);
});

it.each([
  ['first check', true],
  ['check of an account that could not be listed', false],
])('an account is listed again once the connection was lost during its %s', async (_, isAdded) => {
  if (!isAdded) {
    await checked();
    now += MINUTE_MS + 1;
  }
  let answer: (added: boolean) => void = () => {};
  answers = new Promise((resolve) => {
    answer = resolve;
  });
  const checking = checked();
  await new Promise(setImmediate);
  scripts.lostAt = now += 1;
  now += 1;
  answer(isAdded);
  await checking;
  const before = listed.length;
  await checked();
  expect(listed).toHaveLength(before + 1);
});

it('no call waits for the list of accounts but the first, and one call at a time asks it', async () => {
  await checked();
  now += MINUTE_MS + 1;
  let answer: (added: boolean) => void = () => {};
  answers = new Promise((resolve) => {
    answer = resolve;
  });
  await checked();
  await checked();
  expect(listed).toEqual(['shop', 'shop']);
  // It is away: that is no reason to ask at every call.
  answer(false);
  await new Promise(setImmediate);
  await checked();
  expect(listed).toEqual(['shop', 'shop']);
});

it('an account whose format has become too new meanwhile is refused', async () => {
  await checked();
  format = '3 2';
  now += MINUTE_MS + 1;
  await checked();
  await expect(check.of(SHOP)).rejects.toThrow('format "3 2"');
});

it('an account that could not be checked again is checked at the next call', async () => {
  await checked();
  format = undefined;
  now += MINUTE_MS + 1;
  await checked();
  await expect(check.of(SHOP)).rejects.toThrow('away');
  format = '1 1';
  await checked();
  expect(listed).toEqual(['shop', 'shop']);
});
