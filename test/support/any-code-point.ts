import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST_CODE_POINT = 0x10ffff;

/**
 * A character, of all that Unicode has room for: a `unit` for `fc.string`. The unit `binary` is the same, but before its
 * first text fast-check makes a table of all million characters.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc
  .nat({ max: LAST_CODE_POINT - SURROGATES })
  .map((index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES), indexOf);

/** Back again, as fast-check needs to know which texts it may make of these characters. */
function indexOf(character: unknown): number {
  const codePoint = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (codePoint === undefined || String.fromCodePoint(codePoint) !== character)
    throw new Error('no character');
  if (codePoint < FIRST_SURROGATE) return codePoint;
  if (codePoint < FIRST_SURROGATE + SURROGATES) throw new Error('half a character');
  return codePoint - SURROGATES;
}
