import { describe, expect, it } from 'vitest';
import { truncateBody, truncateText } from '../../../../lib/sandbox/http/truncate-text.js';

const LIMIT = 65_536;
const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('a text that is cut', () => {
  it.each(['x', '\u0001', 'é', '"', '😀'])('of many %j is cut, and says so', (character) => {
    const text = character.repeat(200_000);
    const kept = truncateText(text);
    expect(jsonBytes(kept)).toBeLessThan(LIMIT + 100);
    expect(jsonBytes(kept)).toBeGreaterThan(LIMIT / 4);
    expect(kept).toMatch(new RegExp(`… \\(cut by the emulator: it had ${Buffer.byteLength(text)} bytes\\)$`));
  });

  it('stays whole up to 64 KiB of JSON', () => {
    const longest = 'x'.repeat(LIMIT - 2);
    expect(truncateText(longest)).toBe(longest);
    expect(truncateText(`${longest}x`)).not.toBe(`${longest}x`);
  });
});

describe('a body that is cut', () => {
  it('is a copy of its fields', () => {
    const fields = { metadata: { shop: 1 } };
    const kept = truncateBody(fields, JSON.stringify(fields)) as typeof fields;
    expect(kept).toEqual(fields);
    expect(kept.metadata).not.toBe(fields.metadata);
  });

  it('with too many fields is the beginning of its text', () => {
    const fields = { note: 'x'.repeat(LIMIT) };
    expect(truncateBody(fields, JSON.stringify(fields))).toMatch(/^\{"note":"x+… \(cut by the emulator: /);
  });
});
