import { type Cases } from './contract-framework.js';
import { CENTS, counted, type DailyCapTest } from './daily-cap-test.js';
import { JOURNAL_SCOPE as SCOPE } from './journal-test.js';

/** What is counted and given back at the same time adds up. */
export const DAILY_CAP_RACING: Cases<DailyCapTest> = {
  'gives back a payment while others come, and counts every one of them': async ({
    caps,
    pay,
    expect,
    today,
  }) => {
    const share = { cents: CENTS, maxCount: 6, maxCents: 6 * CENTS };
    for (const at of [1, 2, 3, 4]) await pay(counted(`order-${at}`), share);
    const paying = (name: string) =>
      Array.from({ length: 5 }, (_, at) => pay(counted(`${name}-${at}`), share));
    const [, ...results] = await Promise.all([
      caps.release(SCOPE, today, CENTS),
      ...paying('before'),
      caps.release(SCOPE, today, CENTS).then(() => 'given back' as const),
      ...paying('after'),
    ]);
    // Six less the two of four that were not given back. Which come in time for the room is for the store to say.
    const written = results.filter((result) => result === 'written').length;
    expect(written).toBeGreaterThanOrEqual(2);
    for (let at = written; at < 4; at += 1) expect(await pay(counted(`late-${at}`), share)).toBe('written');
    expect(await pay(counted('one-too-many'), share)).toBe('reached');
  },

  'gives back each of two payments that are given back at the same time': async ({
    caps,
    pay,
    expect,
    today,
  }) => {
    const share = { cents: CENTS, maxCount: 3, maxCents: 3 * CENTS };
    for (const at of [1, 2, 3]) await pay(counted(`order-${at}`), share);
    await Promise.all([caps.release(SCOPE, today, CENTS), caps.release(SCOPE, today, CENTS)]);
    expect(await pay(counted('order-4'), share)).toBe('written');
    expect(await pay(counted('order-5'), share)).toBe('written');
    expect(await pay(counted('order-6'), share)).toBe('reached');
  },
};
