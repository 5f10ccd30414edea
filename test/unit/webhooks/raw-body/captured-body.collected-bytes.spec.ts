import { afterEach, describe, expect, it, vi } from 'vitest';
import { CollectedBytes, UnverifiedBytes } from '../../../../lib/webhooks/raw-body/captured-body.js';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the bytes of a body that comes in chunks', () => {
  const unverified = new UnverifiedBytes().body(0);
  const admit = vi.fn((_bytes: number, _isWhole: boolean) => true);
  unverified.admit = admit;
  const collect = (bytes = 10_000, announced = Number.NaN): CollectedBytes =>
    new CollectedBytes({ bytes, ms: 1_000, announced, unverified });

  afterEach(() => {
    admit.mockReset().mockReturnValue(true);
  });

  it('are one, in their order, whatever kinds of chunk they came in', () => {
    const collected = collect();
    expect(Buffer.from(collected.whole())).toEqual(Buffer.alloc(0));
    for (const chunk of [Buffer.from('{"a":'), '"é"', Uint8Array.of(0x7d)]) {
      expect(collected.add(chunk)).toBeUndefined();
    }
    expect(Buffer.from(collected.whole()).toString()).toBe('{"a":"é"}');
    expect(collected.length).toBe(10);
  });

  it('are the chunk itself if there is only one', () => {
    const collected = collect();
    const chunk = Buffer.from('{}');
    collected.add(chunk);
    expect(collected.whole()).toBe(chunk);
  });

  it('are merged every 1,024 chunks, and copied no more often', () => {
    const collected = collect();
    const concat = vi.spyOn(Buffer, 'concat');
    for (let at = 0; at < 3_000; at += 1) collected.add(Uint8Array.of(at % 256));
    expect(concat.mock.calls.map(([chunks]) => chunks.length)).toEqual([1_024, 1_024]);
    const whole = collected.whole();
    expect(Array.from(whole)).toEqual(Array.from({ length: 3_000 }, (_, at) => at % 256));
  });

  it.each([
    [3, undefined],
    [2, 413],
  ])('may be as many as the limit says: %d', (limit, problem) => {
    const collected = collect(limit);
    expect(collected.add('12')).toBeUndefined();
    expect(collected.add('3')).toBe(problem);
  });

  it('ask for room, as the last bytes if they complete the announced length', () => {
    const collected = collect(100, 3);
    collected.add('12');
    admit.mockReturnValue(false);
    expect(collected.add('3')).toBe(503);
    expect(admit.mock.calls).toEqual([
      [2, false],
      [1, true],
    ]);
  });
});
