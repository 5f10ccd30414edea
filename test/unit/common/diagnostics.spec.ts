import { Logger } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { AsyncLocalStorage } from 'node:async_hooks';
import * as callDiagnostics from '../../../lib/common/call-diagnostics.js';
import {
  hasSubscribers,
  onPaymentsDiagnostics,
  publishInContext,
  publishDiagnostics,
} from '../../../lib/common/diagnostics.js';
import * as webhookDiagnostics from '../../../lib/common/webhook-diagnostics.js';
import { scriptOutput } from '../../support/script-output.js';

const { CALL_ATTEMPT_START_CHANNEL, CALL_END_CHANNEL, CALL_START_CHANNEL } = callDiagnostics;

/** Runs in a process that can collect its memory on purpose. */
const SCRIPT = `
  import { setImmediate as nextTurn } from 'node:timers/promises';
  import { CALL_START_CHANNEL } from './lib/common/call-diagnostics.js';
import { onPaymentsDiagnostics, publishDiagnostics } from './lib/common/diagnostics.js';

  let heard = 0;
  publishDiagnostics(CALL_START_CHANNEL, () => ({}));
  await nextTurn();
  gc();
  onPaymentsDiagnostics(CALL_START_CHANNEL, () => { heard += 1; });
  // What waits for the collected runs now.
  await nextTurn();
  await nextTurn();
  publishDiagnostics(CALL_START_CHANNEL, () => ({}));
  process.stdout.write(String(heard));
`;

it('keeps its listeners when memory is collected', async () => {
  expect(await scriptOutput(SCRIPT, '--expose-gc')).toBe('1');
});

it('does not even build an event to which nobody listens', () => {
  const build = vi.fn<() => never>();
  publishDiagnostics(CALL_START_CHANNEL, build);
  expect(build).not.toHaveBeenCalled();
});

it('does what begins within whatever its listeners ask for', async () => {
  const store = new AsyncLocalStorage<string>();
  const work = (): Promise<string | undefined> => Promise.resolve(store.getStore());
  const around = (): Promise<string | undefined> =>
    publishInContext(CALL_ATTEMPT_START_CHANNEL, () => ({}) as never, work);
  const ignore = onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, ({ runInContext }) => {
    runInContext((run) => {
      store.run('within', run);
    });
  });
  expect(await around()).toBe('within');
  ignore();
  expect(await around()).toBeUndefined();
});

it('runs the work if its listeners ask for nothing, and logs nothing', async () => {
  const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const listener = vi.fn();
  const ignore = onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, listener);
  const work = (): Promise<string> => Promise.resolve('done');
  expect(await publishInContext(CALL_ATTEMPT_START_CHANNEL, () => ({ attempt: 2 }) as never, work)).toBe(
    'done',
  );
  ignore();
  expect(listener.mock.calls).toEqual([[{ attempt: 2, runInContext: expect.any(Function) as unknown }]]);
  expect(logged).not.toHaveBeenCalled();
  logged.mockRestore();
});

it('names every channel as the documents do', () => {
  expect({ ...callDiagnostics, ...webhookDiagnostics }).toEqual({
    CALL_START_CHANNEL: 'nestjs-payments:call:start',
    CALL_ATTEMPT_START_CHANNEL: 'nestjs-payments:call:attempt-start',
    CALL_ATTEMPT_CHANNEL: 'nestjs-payments:call:attempt',
    CALL_WAIT_CHANNEL: 'nestjs-payments:call:wait',
    CALL_END_CHANNEL: 'nestjs-payments:call:end',
    WEBHOOK_START_CHANNEL: 'nestjs-payments:webhook:start',
    WEBHOOK_HANDLER_START_CHANNEL: 'nestjs-payments:webhook:handler-start',
    WEBHOOK_HANDLER_END_CHANNEL: 'nestjs-payments:webhook:handler-end',
    WEBHOOK_END_CHANNEL: 'nestjs-payments:webhook:end',
    WEBHOOK_REFUSED_CHANNEL: 'nestjs-payments:webhook:refused',
  });
});

it.each([
  ['nobody listens', [], false],
  ['somebody listens to the first', [CALL_START_CHANNEL], true],
  ['somebody listens to the second', [CALL_END_CHANNEL], true],
  ['somebody listens to both', [CALL_START_CHANNEL, CALL_END_CHANNEL], true],
  ['somebody listens to a third', [CALL_ATTEMPT_START_CHANNEL], false],
] as const)('knows of two channels whether one has a listener: %s', (_, heard, expected) => {
  const stops = heard.map((name) => onPaymentsDiagnostics(name, () => undefined));
  expect(hasSubscribers(CALL_START_CHANNEL, CALL_END_CHANNEL)).toBe(expected);
  for (const stop of stops) stop();
});

it.each([
  [
    'throws an error',
    new Error('the listener broke'),
    /^A listener of nestjs-payments:call:start failed: Error: the listener broke\n +at /,
  ],
  [
    'throws an error without a stack',
    Object.assign(new Error('the listener broke'), { stack: undefined }),
    /^A listener of nestjs-payments:call:start failed: the listener broke$/,
  ],
  ['throws no error', 'a secret', /^A listener of nestjs-payments:call:start failed: no Error was thrown$/],
])('logs which listener %s, and tells the others', async (_, thrown, line) => {
  const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const other = vi.fn();
  const stops = [
    onPaymentsDiagnostics(CALL_START_CHANNEL, () => {
      throw thrown as Error;
    }),
    onPaymentsDiagnostics(CALL_START_CHANNEL, other),
  ];
  publishDiagnostics(CALL_START_CHANNEL, () => ({}) as never);
  for (const stop of stops) stop();
  await nextTurn();
  expect(logged.mock.calls).toEqual([[expect.stringMatching(line)]]);
  expect(logged.mock.contexts[0]).toMatchObject({ context: 'PaymentsDiagnostics' });
  expect(other).toHaveBeenCalledOnce();
  logged.mockRestore();
});
