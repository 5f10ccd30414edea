import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { STATE_FILE, StateFolder } from '../../../../lib/sandbox/state/state-folder.js';

const { mkdtempSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } =
  fs;
const COUNTERS = ['counters'] as const;
/** What the sandbox of another container would write into the lock. */
const OTHER = JSON.stringify({ pid: 1, start: '1', place: 'x', id: '00000000-0000-4000-8000-000000000000' });
const DRAFT_OF_OTHER = 'state.jsonl.00000000-0000-4000-8000-000000000000.new';
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
  syncBuiltinESMExports();
  folder.close();
  rmSync(path, { recursive: true });
});

/**
 * Lets another process take the folder while this one stands still, after it has looked at its lock so often. What
 * the other process does meanwhile follows the last look.
 */
function standStillAfter(looks: number, meanwhile = () => {}): void {
  writeFileSync(join(path, 'lock'), OTHER);
  const now = performance.now();
  let look = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    look += 1;
    if (look === looks) meanwhile();
    return look > looks ? now + 6_000 : now;
  });
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
    standStillAfter(1);
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(LOST);
    expect(content()).toBe(before);
    expect(readdirSync(path).sort()).toEqual(['lock', STATE_FILE]);
  });

  it('a folder that another process took keeps the draft of that process', () => {
    for (const name of ['state.jsonl.new', DRAFT_OF_OTHER]) writeFileSync(join(path, name), 'of the other');
    standStillAfter(0);
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(LOST);
    expect(readFileSync(join(path, 'state.jsonl.new'), 'utf8')).toBe('of the other');
    expect(readFileSync(join(path, DRAFT_OF_OTHER), 'utf8')).toBe('of the other');
  });

  it('a folder that another process took is not replaced after a pause right before the draft is renamed', () => {
    const before = content();
    standStillAfter(2, () => {
      // What the other process does when it opens the folder.
      for (const name of readdirSync(path).filter((file) => file.endsWith('.new'))) rmSync(join(path, name));
    });
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(LOST);
    expect(content()).toBe(before);
  });

  it('a folder that another process took lets no state count as written after a pause within the rename', () => {
    standStillAfter(2);
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(LOST);
  });

  it.skipIf(process.platform !== 'linux')('a rewrite that fails closes its draft', () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    standStillAfter(1);
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(LOST);
    expect(open()).toBe(before);
  });
});

describe('Drafts of processes that held the folder before', () => {
  it('opening a folder removes them and leaves other files', async () => {
    folder.close();
    for (const name of ['state.jsonl.new', DRAFT_OF_OTHER, 'state.jsonl.copy.new']) {
      writeFileSync(join(path, name), 'half');
    }
    folder = await StateFolder.open(path);
    expect(readdirSync(path).sort()).toEqual(['lock', STATE_FILE, 'state.jsonl.copy.new']);
    expect(folder.entries).toEqual([[COUNTERS, 1]]);
  });
});

describe('A state file that something else replaced', () => {
  const REPLACED = /was removed or replaced while the sandbox used it/;
  const replace = () => {
    writeFileSync(join(path, 'other'), content());
    renameSync(join(path, 'other'), join(path, STATE_FILE));
  };

  it('lets no change count as written', () => {
    replace();
    expect(() => {
      folder.append([[COUNTERS, 2]]);
    }).toThrow(REPLACED);
    expect(() => {
      folder.append([[COUNTERS, 3]]);
    }).toThrow(/could not be written before/);
  });

  it('is not overwritten', () => {
    replace();
    const before = content();
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(REPLACED);
    expect(content()).toBe(before);
  });

  it('a file that was removed lets no change count as written either', () => {
    rmSync(join(path, STATE_FILE));
    expect(() => {
      folder.append([[COUNTERS, 2]]);
    }).toThrow(REPLACED);
  });
});

describe.skipIf(process.platform !== 'linux')('A state folder on Windows', () => {
  const openFiles = () =>
    readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ''; // that of the folder itself
      }
    });
  const busy = () =>
    Object.assign(new Error('operation not permitted'), { code: 'EPERM', syscall: 'rename' });

  /** Windows replaces no open file, and some versions of Node do not know the volume of a path. */
  beforeEach(() => {
    Object.defineProperty(process, 'platform', { value: 'win32' });
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: 'linux' }));
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (openFiles().includes(String(to))) throw busy();
      renameSync(from, to);
    });
    const ofNoVolume = (file: string) => Object.assign(statSync(file, { bigint: true }), { dev: 0n });
    vi.spyOn(fs, 'statSync').mockImplementation(ofNoVolume as unknown as typeof statSync);
    vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    syncBuiltinESMExports();
  });

  it('replaces its file, and appends to the new one', async () => {
    folder.rewrite([[COUNTERS, 2]]);
    folder.append([[['banks'], []]]);
    folder.close();
    folder = await StateFolder.open(path);
    expect(folder.entries).toEqual([
      [COUNTERS, 2],
      [['banks'], []],
    ]);
  });

  it('replaces its file once a virus scanner has looked at it', () => {
    vi.mocked(fs.renameSync).mockImplementationOnce(() => {
      throw busy();
    });
    folder.rewrite([[COUNTERS, 2]]);
    expect(content()).toContain('2');
  });

  it('continues with its file if it cannot replace it', () => {
    const before = openFiles().length;
    const old = content();
    vi.mocked(fs.renameSync).mockImplementation(() => {
      throw busy();
    });
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(/EPERM/);
    expect(openFiles()).toHaveLength(before);
    folder.append([[COUNTERS, 3]]);
    expect(content()).toBe(`${old}[[["counters"],3]]\n`);
  });

  it('keeps nothing more, and can be closed, if its file is gone when it cannot replace it', () => {
    vi.mocked(fs.renameSync).mockImplementation((_, to) => {
      rmSync(to);
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    });
    expect(() => {
      folder.rewrite([[COUNTERS, 2]]);
    }).toThrow(/ENOENT/);
    expect(() => {
      folder.append([[COUNTERS, 3]]);
    }).toThrow(/could not be written before/);
  });

  it('lets no change count as written once something else replaced its file', () => {
    writeFileSync(join(path, 'other'), content());
    renameSync(join(path, 'other'), join(path, STATE_FILE));
    expect(() => {
      folder.append([[COUNTERS, 2]]);
    }).toThrow(/was removed or replaced/);
  });
});

describe('A state that is longer than a piece of the file', () => {
  const MEBIBYTE = 1024 * 1024;
  // Three bytes a character: a piece ends within one.
  const long = (first: string, mebibytes: number) => first + '€'.repeat((mebibytes * MEBIBYTE) / 3);

  it('is written in pieces, and read as it was', async () => {
    const parts = ['a', 'b', 'c', 'd', 'e'].map(
      (name) => [['answered', name] as const, long(name, 3)] as const,
    );
    const write = vi.spyOn(fs, 'appendFileSync');
    syncBuiltinESMExports();
    folder.rewrite(parts);
    const sizes = write.mock.calls.map(([, bytes]) => (bytes as Buffer).length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(statSync(join(path, STATE_FILE)).size);
    folder.append([[['answered', 'f'], long('f', 9)]]);
    folder.close();
    folder = await StateFolder.open(path);
    expect(folder.entries).toEqual([...parts, [['answered', 'f'], long('f', 9)]]);
  });

  it('loses only a half-written last line, however long', async () => {
    folder.append([[COUNTERS, 2]]);
    const whole = content();
    folder.close();
    writeFileSync(join(path, STATE_FILE), `${whole}[[["counters"],"${long('x', 9)}`);
    folder = await StateFolder.open(path);
    expect(folder.entries).toEqual([[COUNTERS, 2]]);
    expect(content()).toBe(whole);
  });

  it('is refused if it is one line without an end', async () => {
    folder.close();
    writeFileSync(join(path, STATE_FILE), long('x', 9));
    await expect(StateFolder.open(path)).rejects.toThrow('holds no state of a sandbox');
    rmSync(join(path, STATE_FILE));
    folder = await StateFolder.open(path);
  });
});
