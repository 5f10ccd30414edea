import { describe, expect, it } from 'vitest';
import { GuessLimit } from '../../../../lib/sandbox/http/guess-limit.js';

describe('the limit of wrong tokens', () => {
  it('lets an address wait for the rest of its minute after 50, and begins again', () => {
    let now = 0;
    const limit = new GuessLimit(() => now);
    for (let guess = 0; guess < 49; guess += 1) limit.count('192.0.2.1');
    expect(limit.secondsToWait('192.0.2.1')).toBe(0);
    now = 20_500;
    limit.count('192.0.2.1');
    expect(limit.secondsToWait('192.0.2.1')).toBe(40);
    expect(limit.secondsToWait('192.0.2.2')).toBe(0);
    now = 60_000;
    expect(limit.secondsToWait('192.0.2.1')).toBe(0);
    limit.count('192.0.2.1');
    expect(limit.secondsToWait('192.0.2.1')).toBe(0);
  });

  it('remembers a thousand addresses, the newest ones', () => {
    const limit = new GuessLimit(() => 0);
    for (let guess = 0; guess < 50; guess += 1) limit.count('192.0.2.1');
    for (let other = 0; other < 999; other += 1) limit.count(`10.0.${other >> 8}.${other & 255}`);
    expect([limit.size, limit.secondsToWait('192.0.2.1')]).toEqual([1_000, 60]);
    limit.count('192.0.2.2');
    expect([limit.size, limit.secondsToWait('192.0.2.1')]).toEqual([1_000, 0]);
  });

  it.each([
    ['2001:db8:1:2::5', '2001:db8:1:2:aaaa:bbbb:cccc:dddd', true],
    ['2001:db8::1', '2001:db8:0:0:1::', true],
    ['2001:db8:1:2::5', '2001:db8:1:3::5', false],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['::1', '::1', true],
  ])('counts %s and %s together: %s', (one, other, isSame) => {
    const limit = new GuessLimit(() => 0);
    for (let guess = 0; guess < 50; guess += 1) limit.count(one);
    expect(limit.secondsToWait(other) > 0).toBe(isSame);
  });
});
