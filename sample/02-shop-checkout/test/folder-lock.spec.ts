import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../src/database/folder-lock.js';

describe("the folder of the shop's PGlite", () => {
  let folder: string;

  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'shop-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const heldBy = (pid: number): Promise<void> => writeFile(join(folder, 'in-use'), String(pid));

  it('a second process does not get the folder, and the error says what to do instead', async () => {
    await heldBy(process.ppid);
    await expect(lockFolder(folder)).rejects.toThrow(/process \d+\) keeps its orders in .* set DATABASE_URL/);
    expect(await readdir(folder)).toEqual(['in-use']);
  });

  it('the folder of a killed process is free, even if the new process has the same number', async () => {
    for (const pid of [spawnSync(process.execPath, ['--version']).pid, process.pid]) {
      await heldBy(pid);
      const unlock = await lockFolder(folder);
      expect(await readFile(join(folder, 'in-use'), 'utf8')).toBe(String(process.pid));
      await unlock();
      expect(await readdir(folder)).toEqual([]);
    }
  });
});
