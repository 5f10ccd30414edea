import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeSecondCopy, registerCopy } from '../../../lib/common/package-copies.js';

const REGISTRY = Symbol.for('nestjs-payments.copies');
const OWN_FILE = fileURLToPath(new URL('../../../lib/common/package-copies.ts', import.meta.url));
const shared = globalThis as unknown as Record<symbol, Set<string> | undefined>;
let registered: Set<string> | undefined;

beforeEach(() => {
  registered = shared[REGISTRY];
  shared[REGISTRY] = undefined;
});
afterEach(() => {
  shared[REGISTRY] = registered;
});

it('a copy that is entered twice is one copy', () => {
  expect(describeSecondCopy()).toBeUndefined();
  registerCopy();
  registerCopy();
  expect(shared[REGISTRY]).toEqual(new Set([OWN_FILE]));
  expect(describeSecondCopy()).toBeUndefined();
});

it('two copies are described with their places and the remedy', () => {
  registerCopy();
  shared[REGISTRY]?.add('/elsewhere/index.js');
  expect(describeSecondCopy()).toBe(
    `nestjs-payments was loaded 2 times, from ${OWN_FILE} and /elsewhere/index.js: services of one copy cannot be ` +
      'injected from another. Keep one version installed (`npm ls nestjs-payments`, `npm dedupe`), and load it in one way.',
  );
});

it.each([
  ['without a formatter', undefined],
  ['with a formatter', () => 'formatted'],
])('leaves the stack traces of the application as they are, %s', (_, formatter) => {
  const { stackTraceLimit } = Error;
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  try {
    if (formatter) Error.prepareStackTrace = formatter;
    else Reflect.deleteProperty(Error, 'prepareStackTrace');
    const own = Object.hasOwn(Error, 'prepareStackTrace');
    registerCopy();
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    expect(Object.hasOwn(Error, 'prepareStackTrace')).toBe(own);
    expect(Error.prepareStackTrace).toBe(formatter);
    expect(shared[REGISTRY]).toEqual(new Set([OWN_FILE]));
  } finally {
    if (before) Object.defineProperty(Error, 'prepareStackTrace', before);
    else Reflect.deleteProperty(Error, 'prepareStackTrace');
  }
});
