import { expect, it } from 'vitest';
import { bullmqEngine } from '../../../../lib/integrations/bullmq/bullmq-engine.js';

const connection = { host: '127.0.0.1' };

it.each([0, -1, 100_001, Number.NaN])('the engine refuses %s lines in a second', (linesPerSecond) => {
  expect(() => bullmqEngine({ connection, linesPerSecond })).toThrow(
    'bullmqEngine option `linesPerSecond` must be a number above 0, at most 100000: write for example 10.',
  );
});

it.each([0.5, 100_000])('the engine takes %s lines in a second', (linesPerSecond) => {
  expect(() => bullmqEngine({ connection, linesPerSecond })).not.toThrow();
});

it.each([undefined, null, 'redis://127.0.0.1'])('the engine refuses %s as options', (options) => {
  expect(() => bullmqEngine(options as never)).toThrow('bullmqEngine option `options` must be an object');
});
