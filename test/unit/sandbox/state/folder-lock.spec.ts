import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { lockFolder } from '../../../../lib/sandbox/state/folder-lock.js';
import { buildChildProgram, type ChildProgram } from '../../../support/child-program.js';

const { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } = fs;
const UNSHARE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const hasNamespaces = spawnSync(UNSHARE[0] ?? '', [...UNSHARE.slice(1), 'true']).status === 0;
const root = mkdtempSync(join(tmpdir(), 'folder-lock-'));
const children: ChildProcess[] = [];
let program: ChildProgram;

beforeAll(async () => {
  program = await buildChildProgram('test/unit/sandbox/state/lock-holder.ts');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  await program.remove();
  rmSync(root, { recursive: true, force: true });
});

async function holder(before: readonly string[] = []): Promise<ChildProcess> {
  const [command, ...words] = [...before, process.execPath, program.file];
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  children.push(child);
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess, order: object | 'release'): Promise<string> {
  const answer = once(child, 'message');
  child.send(order);
  return String((await answer)[0]);
}

const take = (child: ChildProcess, folder: string, at = 0) => ask(child, { folder, at });

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The lock that a killed process leaves. */
async function lockOfKilled(): Promise<string> {
  const folder = mkdtempSync(join(root, 'killed-'));
  const child = await holder();
  expect(await take(child, folder)).toBe('held');
  await kill(child);
  return readFileSync(join(folder, 'lock'), 'utf8');
}

/** What a process in another container would write. */
const FOREIGN = JSON.stringify({
  pid: 1,
  start: '1',
  place: 'another machine',
  id: '00000000-0000-4000-8000-000000000000',
});

describe('The lock of a folder', () => {
  it('the lock of a folder lets the process continue while it waits for a sign of life of another container', async () => {
    const folder = mkdtempSync(join(root, 'foreign-'));
    const file = join(folder, 'lock');
    writeFileSync(file, FOREIGN);
    const taking = lockFolder(folder);
    utimesSync(file, new Date(), new Date(Date.now() + 60_000)); // nothing of this runs while the process waits
    await expect(taking).rejects.toThrow('A sandbox in another container uses the folder');
  });

  it('the lock of a folder is refused where no process says when it started', async () => {
    vi.spyOn(fs, 'readFileSync').mockImplementation(((file: string, options: 'utf8') => {
      if (file.startsWith('/proc/')) throw new Error(`${file} is on Linux only.`);
      return readFileSync(file, options);
    }) as typeof readFileSync);
    syncBuiltinESMExports();
    const folder = mkdtempSync(join(root, 'no-start-'));
    const lock = await lockFolder(folder);
    try {
      expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).toMatchObject({ start: '' });
      await expect(lockFolder(folder)).rejects.toThrow(`Process ${process.pid} uses the folder`);
    } finally {
      lock.release();
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
  });

  it('the lock of a folder is noticed as lost after a pause, before the next write', async () => {
    const folder = mkdtempSync(join(root, 'paused-'));
    const lock = await lockFolder(folder);
    lock.assertHeld();
    writeFileSync(join(folder, 'lock'), FOREIGN);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 5_001);
    expect(lock.assertHeld).toThrow(
      /^Another sandbox took over the folder .*paused-.*stop it, and use the other/,
    );
    clock.mockRestore();
    expect((await lock.lost).message).toContain('took over');
    lock.release();
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(FOREIGN);
  });

  it.each(['lock', '.'])(
    'the lock of a folder is noticed as gone if somebody removed it (%s)',
    async (name) => {
      const folder = mkdtempSync(join(root, 'removed-'));
      const lock = await lockFolder(folder);
      rmSync(join(folder, name), { recursive: true });
      expect((await lock.lost).message).toMatch(
        /^The lock .*removed-.* is gone: somebody removed it, or its folder/,
      );
      lock.release();
    },
  );

  it.each(['fresh', 'stale'])(
    'the lock of a folder is held by exactly one of the processes that start at once (%s)',
    async (kind) => {
      const stale = await lockOfKilled();
      const all = await Promise.all(Array.from({ length: 4 }, () => holder()));
      for (let round = 0; round < 40; round += 1) {
        const folder = mkdtempSync(join(root, 'race-'));
        if (kind === 'stale') writeFileSync(join(folder, 'lock'), stale);
        const at = Date.now() + 5;
        const answers = await Promise.all(all.map((child) => take(child, folder, at)));
        expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
        expect(answers.filter((answer) => answer.includes('already'))).toHaveLength(3);
        await Promise.all(all.map((child) => ask(child, 'release')));
        expect(readdirSync(folder)).toEqual([]);
      }
    },
  );

  it('the lock of a folder is taken over at once after a kill', async () => {
    const folder = mkdtempSync(join(root, 'kill-'));
    const [first, second, third] = await Promise.all([holder(), holder(), holder()]);
    expect(await take(first, folder)).toBe('held');
    expect(await take(second, folder)).toContain(`Process ${first.pid} uses the folder`);
    await kill(first);
    expect(await take(second, folder)).toBe('held');
    expect(await take(third, folder)).toContain(`Process ${second.pid} uses the folder`);
  });

  it.runIf(hasNamespaces)(
    'the lock of a folder is refused while its container runs, and taken over after a kill of the container',
    async () => {
      const folder = mkdtempSync(join(root, 'container-'));
      const [first, second] = await Promise.all([holder(UNSHARE), holder(UNSHARE)]);
      const said: string[] = [];
      second.stderr?.on('data', (text: Buffer) => said.push(String(text)));
      expect(await take(first, folder)).toBe('held');
      expect(await take(second, folder)).toMatch(/another container uses the folder .* remove .*lock\.$/);
      await kill(first);
      expect(await take(second, folder)).toBe('held');
      expect(said.join('')).toContain('Waiting up to 10 s');
    },
    40_000,
  );
});
