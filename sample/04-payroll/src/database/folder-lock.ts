import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The embedded PostgreSQL does not notice a second process, which would corrupt its files. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'in-use');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const holder = await take(file);
  if (holder === undefined) return () => rm(file, { force: true });
  if (isRunning(holder)) {
    throw new Error(
      `Another payroll (process ${holder}) is using ${folder}: wait for it. If that is something else, delete ${file}.`,
    );
  }
  // A killed process left it behind.
  await rm(file, { force: true });
  return lockFolder(folder);
}

/**
 * Takes the lock and returns undefined, or returns the process that has it. The file appears with its
 * content, so nobody reads it empty.
 */
async function take(file: string): Promise<number | undefined> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, String(process.pid), { mode: 0o600 });
  try {
    await link(draft, file);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return Number(await readFile(file, 'utf8'));
  } finally {
    await rm(draft);
  }
}

/**
 * Whether another process has this id. If it is our own, a killed container's only process had the same id.
 */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
