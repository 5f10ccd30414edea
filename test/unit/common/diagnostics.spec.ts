import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { build, stop } from 'esbuild';
import { AsyncLocalStorage } from 'node:async_hooks';
import { CALL_ATTEMPT_START_CHANNEL, CALL_START_CHANNEL } from '../../../lib/common/call-diagnostics.js';
import { onPaymentsDiagnostics, publishAround, publishDiagnostics } from '../../../lib/common/diagnostics.js';

/** Runs where memory can be collected on purpose. */
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
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  await stop();
  const args = ['--expose-gc', '--input-type=module', '--eval', outputFiles[0]!.text];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 10_000 });
  expect(stdout).toBe('1');
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
    publishAround(CALL_ATTEMPT_START_CHANNEL, () => ({}) as never, work);
  const ignore = onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, ({ surround }) => {
    surround((run) => {
      store.run('within', run);
    });
  });
  expect(await around()).toBe('within');
  ignore();
  expect(await around()).toBeUndefined();
});
