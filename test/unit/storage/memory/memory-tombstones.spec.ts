import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MemoryTombstones } from '../../../../lib/storage/memory/memory-tombstones.js';

describe('the tombstones of the memory storage', () => {
  it('are all found, however many there are', () => {
    const tombstones = new MemoryTombstones();
    const left = { attempt: 2, end: 'paid', settledBy: 'operator' } as const;
    for (let index = 0; index < 1_000; index += 1) tombstones.add(`order-${index}`, left, 1_000);
    const found = Array.from({ length: 1_000 }, (_, index) => tombstones.find(`order-${index}`));
    expect(found).toEqual(found.map(() => left));
    expect(tombstones.find('order-1000')).toBeUndefined();
  });

  it.each([
    ['begin', 'order-28419', 'order-55924'],
    ['end, and have their place,', 'order-116885', 'order-481969'],
  ])('keep references apart whose hashes %s alike', (_, reference, other) => {
    const tombstones = new MemoryTombstones();
    tombstones.add(reference, { attempt: 1, end: 'rejected' }, 1_000);
    expect(tombstones.find(other)).toBeUndefined();
    tombstones.add(other, { attempt: 2, end: 'accepted' }, 1_000);
    expect(tombstones.find(reference)).toEqual({ attempt: 1, end: 'rejected' });
    expect(tombstones.find(other)).toEqual({ attempt: 2, end: 'accepted' });
  });

  it('know a reference by the first 96 bits of its SHA-256, for fewer would let some be taken for others', () => {
    const tombstones = new MemoryTombstones();
    tombstones.add('order-1', { attempt: 1, end: 'rejected' }, 1_000);
    const digest = createHash('sha256').update(Buffer.from('order-1', 'utf16le')).digest();
    const { slots } = tombstones as unknown as { readonly slots: Uint32Array };
    const at = slots.indexOf(digest.readUInt32BE(0));
    expect([...slots.subarray(at, at + 3)]).toEqual([0, 4, 8].map((byte) => digest.readUInt32BE(byte)));
  });

  it.each([
    ['when it was written', 1_500, 1_501, 0],
    ['in the second before', 1_500, 2_000, 0],
    ['after that second', 1_500, 2_001, 1],
  ])(
    'are never forgotten too early, because their times are whole seconds: purged %s',
    (_, at, latest, gone) => {
      const tombstones = new MemoryTombstones();
      tombstones.add('order-1', { attempt: 1, end: 'rejected' }, at);
      expect(tombstones.purge(latest)).toBe(gone);
    },
  );

  it('are purged by their age, however often they had to move, and counted', () => {
    const tombstones = new MemoryTombstones();
    const end = { attempt: 1, end: 'rejected' } as const;
    for (let index = 0; index < 1_000; index += 1) tombstones.add(`old-${index}`, end, 1_000);
    for (let index = 0; index < 500; index += 1) tombstones.add(`new-${index}`, end, 5_000);
    expect(tombstones.purge(5_000)).toBe(1_000);
    expect(tombstones.find('old-999')).toBeUndefined();
    expect(tombstones.find('new-0')).toEqual(end);
    expect(tombstones.purge(5_001)).toBe(500);
    expect(tombstones.purge(5_001)).toBe(0);
  });

  it('keep texts apart that are the same in UTF-8', () => {
    const tombstones = new MemoryTombstones();
    tombstones.add('\ud800', { attempt: 1, end: 'rejected' }, 1_000);
    expect(tombstones.find('\ud801')).toBeUndefined();
  });

  it('store the largest attempt that fits if a caller counted higher', () => {
    const tombstones = new MemoryTombstones();
    tombstones.add('order-1', { attempt: Number.MAX_SAFE_INTEGER, end: 'accepted' }, 1_000);
    expect(tombstones.find('order-1')).toEqual({ attempt: 2 ** 24 - 1, end: 'accepted' });
  });
});
