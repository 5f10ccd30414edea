import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../src/database/folder-lock.js';

describe("the folder of the payroll's PGlite", () => {
  let folder: string;

  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'payroll-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const heldBy = (pid: number): Promise<void> => writeFile(join(folder, 'in-use'), String(pid));

  it('is not for a second process', async () => {
    await heldBy(process.ppid);
    await expect(lockFolder(folder)).rejects.toThrow(/Another payroll \(process \d+\) is using/);
    expect(await readdir(folder)).toEqual(['in-use']);
  });

  it('is taken over from a process that was killed, even if it had the same number', async () => {
    for (const pid of [spawnSync(process.execPath, ['--version']).pid, process.pid]) {
      await heldBy(pid);
      const unlock = await lockFolder(folder);
      expect(await readFile(join(folder, 'in-use'), 'utf8')).toBe(String(process.pid));
      await unlock();
      expect(await readdir(folder)).toEqual([]);
    }
  });
});
