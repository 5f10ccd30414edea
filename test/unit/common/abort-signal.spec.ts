import EventEmitter, { getMaxListeners, setMaxListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hearLeakWarnings } from '../../support/leak-warnings.js';
import { allowManyListeners, signalProblem } from '../../../lib/common/abort-signal.js';

describe('a signal of the application', () => {
  it.each([
    ['an AbortSignal is one', new AbortController().signal, undefined],
    ['a controller is none', new AbortController(), /^must be an AbortSignal: write /],
    ['nothing is none', undefined, /^must be an AbortSignal: write /],
  ])('%s', (_, value, problem) => {
    if (problem) expect(signalProblem(value)).toMatch(problem);
    else expect(signalProblem(value)).toBeUndefined();
  });

  it('may get as many listeners as fetch allows', () => {
    const { signal } = new AbortController();
    allowManyListeners(signal);
    expect(getMaxListeners(signal)).toBe(1500);
  });

  it.each([5, 2000])('keeps the limit of %i listeners that the application has set', (limit) => {
    const { signal } = new AbortController();
    setMaxListeners(limit, signal);
    allowManyListeners(signal);
    expect(getMaxListeners(signal)).toBe(limit);
  });

  it('may get as many if the application has changed the default', () => {
    const { signal } = new AbortController();
    EventEmitter.defaultMaxListeners = 50;
    onTestFinished(() => void (EventEmitter.defaultMaxListeners = 10));
    setMaxListeners(50, signal);
    allowManyListeners(signal);
    expect(getMaxListeners(signal)).toBe(1500);
  });

  it('keeps no limit if the application has set none', async () => {
    const warnings = hearLeakWarnings();
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    allowManyListeners(signal);
    for (let listener = 0; listener < 1501; listener += 1) signal.addEventListener('abort', () => undefined);
    expect(await warnings()).toEqual([]);
  });

  it('may be one that is not of Node', () => {
    const signal = Object.create(AbortSignal.prototype) as AbortSignal;
    expect(() => {
      allowManyListeners(signal);
    }).not.toThrow();
  });
});
