import { closeSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type * as FileSystem from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appendLine, openFile } from '../../../../../lib/cli/conformance/run/journal-file.js';

const disk = vi.hoisted(() => ({ most: Number.POSITIVE_INFINITY, synced: [] as string[] }));

/** A disk that takes a part of what is written, and tells which folders were synced. */
vi.mock('node:fs', async (original) => {
  const real = await original<typeof FileSystem>();
  const folders = new Map<number, string>();
  return {
    ...real,
    openSync: (path: string, flags: string, mode?: number) => {
      const descriptor = real.openSync(path, flags, mode);
      folders.set(descriptor, path);
      return descriptor;
    },
    fsyncSync: (descriptor: number) => {
      disk.synced.push(folders.get(descriptor) ?? '');
      real.fsyncSync(descriptor);
    },
    writeSync: (descriptor: number, bytes: Uint8Array, from: number, length: number) =>
      real.writeSync(descriptor, bytes, from, Math.min(length, disk.most)),
  };
});

let file: string;

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'journal-')), 'journal.jsonl');
  disk.synced = [];
});
afterEach(() => {
  rmSync(dirname(file), { recursive: true });
});

describe('the file of a journal', () => {
  it('has whole lines on a disk that takes a part at a time', () => {
    disk.most = 7;
    const descriptor = openFile(file);
    appendLine(descriptor, { ask: 'same key, same request', step: 0 });
    appendLine(descriptor, { heard: 'same key, same request', step: 0 });
    closeSync(descriptor);
    expect(readFileSync(file, 'utf8')).toBe(
      '{"ask":"same key, same request","step":0}\n{"heard":"same key, same request","step":0}\n',
    );
  });

  it('is in its folder, and each line in it, before a request is sent', () => {
    const descriptor = openFile(file);
    expect(disk.synced).toEqual([dirname(file)]);
    appendLine(descriptor, { ask: 'bearer', step: 0 });
    expect(disk.synced).toEqual([dirname(file), file]);
    closeSync(descriptor);
  });
});
