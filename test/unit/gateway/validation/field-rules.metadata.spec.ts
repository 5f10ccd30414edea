import { describe, expect, it } from 'vitest';
import { jsonCopy, metadataProblem } from '../../../../lib/gateway/validation/field-rules.js';

function nested(depth: number): Record<string, unknown> {
  return depth === 0 ? {} : { inner: nested(depth - 1) };
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

class ListWithForm extends Array<unknown> {
  toJSON(): object {
    return { items: [...this] };
  }
}

const formOnly = Object.create(null, { toJSON: { value: () => 1 } }) as object;
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

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

  it.each<[what: string, value: unknown]>([
    ['a list that writes itself', Object.assign([1], { toJSON: () => [2] })],
    ['a list of a class that writes itself', ListWithForm.from([1])],
    ['a list whose item a getter makes up', Object.defineProperty([], 0, { get: () => 1, enumerable: true })],
    ['a list behind a proxy', new Proxy([1], {})],
    ['an object behind a proxy', new Proxy({ a: 1 }, {})],
    ['a proxy that was revoked', revoked],
    ['an object that inherits its form', Object.create(formOnly) as object],
    ['an object that hides its form', Object.defineProperty({}, 'toJSON', { value: () => 1 })],
  ])('may not hold %s, which JSON could show otherwise', (_, value) => {
    expect(metadataProblem({ value })).toMatch(/^must hold only strings/);
    expect(metadataProblem(value)).toMatch(/^must (?:hold only strings|be a plain JSON object)/);
  });

  it('is copied as JSON shows it, down to the last level', () => {
    const inner = { list: [1, ['a', null]], gone: undefined, none: null, '': -0 };
    const own = JSON.parse('{"__proto__":{"admin":true},"b":1}') as object;
    const gap: unknown[] = [];
    gap[1] = 'second';
    const value = Object.defineProperty({ inner, own, gap }, 'hidden', { value: 'text' });
    const copy = jsonCopy(value) as typeof value;
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    inner.list.push(2);
    (own as { b: number }).b = 2;
    expect(copy.inner.list).toHaveLength(2);
    expect(JSON.stringify(copy.own)).toBe('{"__proto__":{"admin":true},"b":1}');
    expect('admin' in copy.own).toBe(false);
  });

  it('may not hold what a getter makes up', () => {
    const value = Object.defineProperty({}, 'a', { get: () => 1, enumerable: true });
    expect(metadataProblem(value)).toMatch(/^must hold only strings/);
  });
});
