import { renameSync } from 'node:fs';

/** What Windows says while another program has a file open. */
const BUSY: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];
const PATIENCE_MS = 1_000;
const LOOK_MS = 20;

/**
 * Renames a file, and replaces what has the new name. On Windows it tries again for a second: a virus scanner or a
 * reader may have one of the two open.
 *
 * @param rename Does it once.
 */
export function renamePatiently(
  from: string,
  to: string,
  { platform = process.platform, rename = renameSync } = {},
): void {
  for (let waited = 0; ; waited += LOOK_MS) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      const isBusy = platform === 'win32' && BUSY.includes((error as NodeJS.ErrnoException).code);
      if (!isBusy || waited >= PATIENCE_MS) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}
