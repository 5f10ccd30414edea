import { expect, it } from 'vitest';
import { quoted } from '../../../lib/common/quoted.js';

it.each([
  ['a plain text', 'order-1', '"order-1"'],
  ['quotes and backslashes', 'a"b\\c', '"a\\"b\\\\c"'],
  ['a line break', 'a\nb', '"a\\nb"'],
  ['an escape of a terminal', '\u001b[31m', '"\\u001b[31m"'],
  ['the first and the last control character behind ASCII', '\u007f\u009f', '"\\u007f\\u009f"'],
  ['a line separator', '\u2028', '"\\u2028"'],
  ['the last mark of direction', '\u202e', '"\\u202e"'],
  ['isolated directions', '\u2066a\u2069', '"\\u2066a\\u2069"'],
  ['letters beside these', '~\u00a0\u2027\u202f\u2065\u206aü', '"~\u00a0\u2027\u202f\u2065\u206aü"'],
  ['more than one', '\u2028a\u2028', '"\\u2028a\\u2028"'],
])('a log line holds %s in a form that cannot break it', (_, text, written) => {
  expect(quoted(text)).toBe(written);
  expect(JSON.parse(quoted(text))).toBe(text);
});

it.each([
  [undefined, '"undefined"'],
  [null, '"null"'],
  [42, '"42"'],
  [{ a: 1 }, '"[object Object]"'],
])('a log line holds %j, which is no text, as one', (value, written) => {
  expect(quoted(value)).toBe(written);
});
