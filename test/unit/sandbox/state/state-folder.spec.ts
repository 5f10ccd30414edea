import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { STATE_FILE, StateFolder } from '../../../../lib/sandbox/state/state-folder.js';

const COUNTERS = ['counters'] as const;
/** What the sandbox of another container would write into the lock. */
const OTHER = JSON.stringify({ pid: 1, start: '1', place: 'x', id: '00000000-0000-4000-8000-000000000000' });
const LOST = /^Another sandbox took over the folder/;

let path: string;
let folder: StateFolder;
const content = () => readFileSync(join(path, STATE_FILE), 'utf8');

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'state-folder-'));
  folder = await StateFolder.open(path);
  folder.rewrite([[COUNTERS, 1]]);
});
afterEach(() => {
  vi.restoreAllMocks();
  folder.close();
  rmSync(path, { recursive: true });
});

/** Lets another process take the folder while this one stands still, after it has looked at its lock so often. */
function standStillAfter(looks: number): void {
  writeFileSync(join(path, 'lock'), OTHER);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 6_000);
  for (let look = 0; look < looks; look += 1) clock.mockReturnValueOnce(now);
}

describe('A folder that another process takes while this one stands still', () => {
  it('a folder that another process took gets no change after a pause before the write', () => {
    const before = content();
    standStillAfter(0);
    expect(() => {
      folder.append([[COUNTERS, 2]]);
    }).toThrow(LOST);
    expect(content()).toBe(before);
  });

  it('a folder that another process took lets no change count as written after a pause within the write', () => {
    standStillAfter(1);
    expect(() => {
      folder.append([[COUNTERS, 2]]);
    }).toThrow(LOST);
  });

  it('a folder that another process took is not replaced after a pause while the new file was written', () => {
    const before = content();
    standStillAfter(2);
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(LOST);
    expect(content()).toBe(before);
  });
});
