import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appendLine, openFile } from '../../../../../lib/cli/conformance/run/journal-file.js';

const { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } = fs;

let file: string;
/** What a write takes at most. */
let most: number;
let synced: (string | undefined)[];

/** A disk that takes a part of what is written, and tells what was synced. */
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'journal-')), 'journal.jsonl');
  most = Number.POSITIVE_INFINITY;
  synced = [];
  const names = new Map<number, string>();
  vi.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
    const descriptor = openSync(path, flags, mode);
    names.set(descriptor, String(path));
    return descriptor;
  });
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    synced.push(names.get(descriptor));
    fsyncSync(descriptor);
  });
  vi.spyOn(fs, 'writeSync').mockImplementation(((
    descriptor: number,
    bytes: Buffer,
    from: number,
    length: number,
  ) => writeSync(descriptor, bytes, from, Math.min(length, most))) as typeof writeSync);
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(dirname(file), { recursive: true });
});

describe('the file of a journal', () => {
  it('has whole lines on a disk that takes a part at a time', () => {
    most = 7;
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
    expect(synced).toEqual([dirname(file)]);
    appendLine(descriptor, { ask: 'bearer', step: 0 });
    expect(synced).toEqual([dirname(file), file]);
    closeSync(descriptor);
  });
});
