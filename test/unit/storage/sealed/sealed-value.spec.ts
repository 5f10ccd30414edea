import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSealed,
  keyNameOf,
  open,
  seal,
  type SealedPlace,
} from '../../../../lib/storage/sealed/sealed-value.js';

const key = createSecretKey(randomBytes(32));
const sealing = { name: '2026-11', key };
const PLACE: SealedPlace = ['journal', 'default', 'sandbox', 'collection', 'order-1', 1, 'body'];

describe('a sealed value', () => {
  it('a sealed value opens to what was sealed, for any JSON in any place', () => {
    fc.assert(
      fc.property(fc.json(), fc.array(fc.oneof(fc.string(), fc.integer())), (text, place) => {
        const sealed = seal(text, place, sealing);
        expect(isSealed(sealed)).toBe(true);
        expect(keyNameOf(sealed)).toBe('2026-11');
        expect(open(sealed, place, key)).toBe(text);
      }),
    );
  });

  it('a sealed value does not open if any bit of it is flipped, that of its head included', () => {
    const sealed = seal('{"phone":"255712345678"}', PLACE, sealing);
    const bytes = Buffer.from(sealed);
    let flipped = 0;
    for (let at = 0; at < bytes.length * 8; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
      // As latin1, each byte is a character: no flip is lost in a replacement character.
      expect(open(changed.toString('latin1'), PLACE, key)).toBeUndefined();
      flipped += 1;
    }
    expect(flipped).toBeGreaterThan(800);
  });

  it('a sealed value does not open cut short, with another key, or under another name of the key', () => {
    const sealed = seal('{}', PLACE, sealing);
    for (let end = 0; end < sealed.length; end += 1) {
      expect(open(sealed.slice(0, end), PLACE, key)).toBeUndefined();
    }
    expect(open(sealed, PLACE, createSecretKey(randomBytes(32)))).toBeUndefined();
    expect(open(sealed.replace('2026-11', '2026-12'), PLACE, key)).toBeUndefined();
  });

  it('a sealed value opens in no place but its own', () => {
    const sealed = seal('{}', PLACE, sealing);
    PLACE.forEach((part, at) => {
      const moved = [...PLACE];
      moved[at] = typeof part === 'number' ? part + 1 : `${part}2`;
      expect(open(sealed, moved, key)).toBeUndefined();
    });
    expect(open(sealed, ['journal', 'defaultsandbox', ...PLACE.slice(3)], key)).toBeUndefined();
    expect(open(sealed, PLACE, key)).toBe('{}');
  });

  it('a sealed value is another one each time, so that two equal phone numbers do not look equal', () => {
    const sealed = new Set(Array.from({ length: 1_000 }, () => seal('255712345678', PLACE, sealing)));
    expect(sealed.size).toBe(1_000);
  });
});
