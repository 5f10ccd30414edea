import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundleCli, cliFile, runProcess } from '../../support/cli-process.js';

beforeAll(bundleCli);

const FULL = '/dev/full';
const SQL = ['migrate', '--sql', '--dialect', 'postgres'] as const;
const LOST = 'The output is not whole: it could not be written (ENOSPC).\n';

/** Runs a script of the shell, whose `"$@"` is the command. */
function sh(script: string, name: string, ...args: readonly string[]): SpawnSyncReturns<string> {
  const env = { PATH: process.env['PATH'], NO_COLOR: '1' };
  return spawnSync('sh', ['-c', script, name, process.execPath, cliFile(), ...args], {
    env,
    encoding: 'utf8',
  });
}

describe.runIf(existsSync(FULL))('a command whose output cannot be written', () => {
  it.each([[SQL], [['--help']]])('fails, and says so once: %j', async (args) => {
    expect(await runProcess(args, { output: FULL })).toEqual({ code: 1, stdout: '', stderr: LOST });
  });

  it('keeps the exit code of what else went wrong', async () => {
    const { code, stderr } = await runProcess(['init', '--no-such-option'], { output: FULL });
    expect(code).toBe(2);
    expect(stderr).toContain("Unknown option '--no-such-option'");
  });

  it('does not fail for what it only says beside its result', () => {
    const { status, stdout } = sh(`exec "$@" 2> ${FULL}`, 'sh', '--version');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\d/);
  });

  it('fails if only a part of it fits', () => {
    const folder = mkdtempSync(join(tmpdir(), 'payments-lost-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const file = join(folder, 'payments.sql');
    // Blocks of 512 or 1,024 bytes, as the shell counts them. The whole text has 10 kB.
    const { status, stderr } = sh('ulimit -f 1; exec "$@" > "$0"', file, ...SQL);
    expect(statSync(file).size).toBeLessThanOrEqual(1_024);
    expect(readFileSync(file, 'utf8')).toContain('-- nestjs-payments');
    expect({ status, stderr }).toEqual({ status: 1, stderr: LOST.replace('ENOSPC', 'EFBIG') });
  });
});

it('a command whose reader has gone does not fail', () => {
  // The command starts once nobody reads.
  const script = 'trap "" PIPE; { while echo; do :; done 2> "$0"; "$@"; echo "code $?" >&2; } | true';
  expect(sh(script, devNull, ...SQL).stderr).toBe('code 0\n');
});
