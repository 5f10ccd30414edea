import { describe, expect, it, onTestFinished } from 'vitest';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type StopSignal } from '../../../lib/cli/command.js';
import { runChild } from '../../../lib/cli/child-process.js';
import { buildChildProgram } from '../../support/child-program.js';

const run = promisify(execFile);
/** A process that takes this machine for Windows, and runs its arguments. */
const ON_WINDOWS = `
  Object.defineProperty(process, 'platform', { value: 'win32' });
  const [program, ...words] = process.argv.slice(1);
  const { runChild } = await import(program);
  const context = { terminal: undefined, onSignal: () => () => {}, interactive: false };
  process.exitCode = await runChild(words, process.env, context);
`;

/** Runs a child that waits, sends it these signals as the process would get them, and gives its exit code. */
async function endAfter(interactive: boolean, signals: readonly StopSignal[]) {
  const listeners = new Set<(signal: StopSignal) => void>();
  const ended = runChild([process.execPath, '-e', 'setInterval(() => {}, 1000)'], process.env, {
    terminal: { data: fail, say: fail, paint: (_, text) => text, paintData: (_, text) => text },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    interactive,
  });
  for (const signal of signals) for (const listener of listeners) listener(signal);
  const code = await ended;
  return { code, listening: listeners.size };
}

function fail(line: string): never {
  throw new Error(line);
}

describe('a child process', () => {
  it('gets Ctrl-C once: from the terminal if there is one, else from here', async () => {
    expect(await endAfter(true, ['SIGINT', 'SIGTERM'])).toEqual({ code: 143, listening: 0 });
    expect(await endAfter(false, ['SIGINT'])).toEqual({ code: 130, listening: 0 });
  });

  it('is run by the command interpreter if it is a script of Windows, with arguments that stay one word each', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'windows-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = await buildChildProgram('lib/cli/child-process.ts');
    onTestFinished(program.remove);
    await writeFile(join(folder, 'npm.CMD'), '');
    await writeFile(join(folder, 'cmd.exe'), '#!/bin/sh\nprintf "%s\\n" "$@"\nexit 3\n');
    await chmod(join(folder, 'cmd.exe'), 0o700);
    const words = ['npm', 'test', 'a & b'];
    const ended = run(
      process.execPath,
      ['--input-type=module', '-e', ON_WINDOWS, pathToFileURL(program.file).href, ...words],
      { env: { PATH: [folder, process.env['PATH']].join(delimiter) } },
    );
    await expect(ended).rejects.toMatchObject({
      code: 3,
      stdout: ['/d', '/s', '/c', '"npm ^^^"test^^^" ^^^"a^^^ ^^^&^^^ b^^^""', ''].join('\n'),
    });
  });
});
