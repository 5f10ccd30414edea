import { expect, it } from 'vitest';
import {
  copyOf,
  holdersIn,
  isHolder,
  isJsonObject,
  jsonObject,
  withoutPrototypes,
} from '../../../lib/common/json-object.js';

it.each<[string, unknown]>([
  ['{}', {}],
  ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
  [' {"a":1} ', { a: 1 }],
])('the text %s is a JSON object', (text, value) => {
  expect(jsonObject(text)).toEqual(value);
  expect(isJsonObject(text)).toBe(true);
});

it.each(['', 'null', '1', '"{}"', '[]', '[{}]', 'true', '{', '{"a":1', '{}{}', "{'a':1}"])(
  'the text %j is no JSON object',
  (text) => {
    expect(jsonObject(text)).toBeUndefined();
    expect(isJsonObject(text)).toBe(false);
  },
);

it.each([
  ['at the top', '{"a":1,"__proto__":{"b":2}}', { a: 1 }],
  ['in an object', '{"a":{"__proto__":{"b":2},"c":3}}', { a: { c: 3 } }],
  ['in a list', '{"a":[{"__proto__":1},{"c":3}]}', { a: [{}, { c: 3 }] }],
  ['written with an escape', '{"\\u005f_proto__":{"b":2},"c":3}', { c: 3 }],
  ['with null as its value', '{"a":null,"__proto__":null}', { a: null }],
])('a field __proto__ is left out %s', (_, text, value) => {
  const found = jsonObject(text);
  expect(found).toEqual(value);
  expect(JSON.stringify(found)).toBe(JSON.stringify(value));
});

it('a text that cannot name a prototype is not searched for one', () => {
  const parsed = JSON.parse('{"__proto__":1}') as object;
  expect(Object.hasOwn(withoutPrototypes(parsed, '{}'), '__proto__')).toBe(true);
  expect(Object.hasOwn(withoutPrototypes(parsed, '{"__proto__":1}'), '__proto__')).toBe(false);
});

it('the objects and lists in an object are found, and nothing else', () => {
  const object = {};
  const list: unknown[] = [];
  expect(holdersIn({ object, list, text: 'a', number: 1, nothing: null })).toEqual([object, list]);
  expect(holdersIn([object, 'a'])).toEqual([object]);
  expect([{}, [], null, undefined, 'a', 1].map(isHolder)).toEqual([true, true, false, false, false, false]);
});

it('a copy is equal and shares no object or list with its original', () => {
  const original = JSON.parse('{"a":[1,{"b":null}],"c":{"d":{"e":true}},"__proto__":{"f":1}}') as {
    a: [number, object];
    c: { d: object };
  };
  const copy = copyOf(original);
  expect(copy).toEqual(original);
  expect(Object.keys(copy)).toEqual(['a', 'c', '__proto__']);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  Object.assign(copy.a[1], { b: 2 });
  Object.assign(copy.c.d, { e: false });
  expect(original).toMatchObject({ a: [1, { b: null }], c: { d: { e: true } } });
});

it.each([null, 'text', 1, true])('a copy of %j is the same', (value) => {
  expect(copyOf(value)).toBe(value);
});
