import { describe, expect, it } from 'vitest';
import { metadataProblem } from '../../../../lib/gateway/validation/field-rules.js';

function nested(depth: number): Record<string, unknown> {
  return depth === 0 ? {} : { inner: nested(depth - 1) };
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

describe('metadata', () => {
  it.each<[what: string, value: unknown]>([
    ['nothing', {}],
    [
      'every kind of JSON',
      { text: 'a', number: 1.5, yes: true, none: null, list: [1, ['a', null]], inner: { a: 1 } },
    ],
    ['a field that is left out', { a: undefined }],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 })],
    ['thirty-two levels', nested(32)],
  ])('may hold %s', (_, value) => {
    expect(metadataProblem(value)).toBeUndefined();
  });

  it.each<[what: string, value: unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a list', []],
    ['text', '{}'],
    ['a date', new Date(0)],
    ['a map', new Map()],
  ])('is no %s', (_, value) => {
    expect(metadataProblem(value)).toMatch(/^must be a plain JSON object/);
  });

  it.each<[what: string, value: unknown]>([
    ['NaN', Number.NaN],
    ['an infinite number', Infinity],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['undefined in a list', [undefined]],
    ['a circle', circle],
    ['too many levels', nested(33)],
  ])('may not hold %s', (_, value) => {
    expect(metadataProblem({ value })).toMatch(/^must hold only strings/);
  });

  it('may not hold what a getter makes up', () => {
    const value = Object.defineProperty({}, 'a', { get: () => 1, enumerable: true });
    expect(metadataProblem(value)).toMatch(/^must hold only strings/);
  });
});
