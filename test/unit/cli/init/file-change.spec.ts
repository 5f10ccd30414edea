import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileChange, writeChanges as writeChangesFrom } from '../../../../lib/cli/init/file-change.js';

/** No system takes such a name. */
const TOO_LONG = `${'c'.repeat(300)}.ts`;
let folder: string;
const at = (name: string): string => join(folder, name);
const writeChanges = (changes: readonly FileChange[]): void => {
  writeChangesFrom(changes, folder);
};
const read = (name: string): string => readFileSync(at(name), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-init-'));
  writeFileSync(at('a.ts'), 'a');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('writeChanges', () => {
  it('writes new files into new folders, and keeps permissions and links of old ones', () => {
    chmodSync(at('a.ts'), 0o640);
    symlinkSync('a.ts', at('link.ts'));
    writeChanges([
      { path: at('link.ts'), before: 'a', after: 'b' },
      { path: at('new/c.ts'), before: undefined, after: 'c' },
    ]);
    expect([read('a.ts'), read('new/c.ts')]).toEqual(['b', 'c']);
    expect(statSync(at('a.ts')).mode & 0o777).toBe(0o640);
    expect(lstatSync(at('link.ts')).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['a.ts', 'link.ts', 'new']);
  });

  it('writes nothing if a file was changed, made or taken away meanwhile', () => {
    const changes = [
      { path: at('a.ts'), before: 'a', after: 'b' },
      { path: at('c.ts'), before: undefined, after: 'c' },
    ];
    writeFileSync(at('c.ts'), 'mine');
    expect(() => {
      writeChanges(changes);
    }).toThrow('c.ts was changed meanwhile: run the command again');
    rmSync(at('c.ts'));
    rmSync(at('a.ts'));
    expect(() => {
      writeChanges(changes);
    }).toThrow('a.ts was changed meanwhile');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('changes no file if one of them cannot be written', () => {
    expect(() => {
      writeChanges([
        { path: at('a.ts'), before: 'a', after: 'b' },
        { path: at(TOO_LONG), before: undefined, after: 'c' },
      ]);
    }).toThrow(/^c+\.ts cannot be written \(E\w+\)$/);
    expect(read('a.ts')).toBe('a');
    expect(readdirSync(folder)).toEqual(['a.ts']);
  });

  it.each([
    ['a file', 'file'],
    ['a link that leads nowhere', 'link'],
  ])('names %s that is where a folder has to be, and changes nothing', (_what, name) => {
    writeFileSync(at('file'), '');
    symlinkSync('nowhere', at('link'));
    expect(() => {
      writeChanges([
        { path: at('a.ts'), before: 'a', after: 'b' },
        { path: at(`${name}/payments/c.ts`), before: undefined, after: 'c' },
      ]);
    }).toThrow(
      `${name} has to be a folder, and is a file or a link that leads nowhere: rename or remove it, then run the command again`,
    );
    expect(read('a.ts')).toBe('a');
    expect(readdirSync(folder).sort()).toEqual(['a.ts', 'file', 'link']);
  });

  it('leaves a read-only file alone, and the others', () => {
    chmodSync(at('a.ts'), 0o444);
    expect(() => {
      writeChanges([
        { path: at('c.ts'), before: undefined, after: 'c' },
        { path: at('a.ts'), before: 'a', after: 'b' },
      ]);
    }).toThrow(/^a\.ts is read-only$/);
    expect(read('a.ts')).toBe('a');
    expect(readdirSync(folder)).toEqual(['a.ts']);
  });

  it('removes the new folders, and no other, if a file cannot be written', () => {
    chmodSync(at('a.ts'), 0o444);
    mkdirSync(at('there'));
    expect(() => {
      writeChanges([
        { path: at('new/b.ts'), before: undefined, after: 'b' },
        { path: at('new/deep/c.ts'), before: undefined, after: 'c' },
        { path: at('there/d.ts'), before: undefined, after: 'd' },
        { path: at('a.ts'), before: 'a', after: 'b' },
      ]);
    }).toThrow('a.ts is read-only');
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['a.ts', 'there']);
  });

  it('restores the earlier files if a later one cannot be written', () => {
    chmodSync(at('a.ts'), 0o640);
    expect(() => {
      writeChanges([
        { path: at('a.ts'), before: 'a', after: 'b' },
        { path: at('new.ts'), before: undefined, after: 'new' },
        { path: at('folder/c.ts'), before: undefined, after: 'c' },
        { path: at('folder'), before: undefined, after: 'no file can have this name' },
      ]);
    }).toThrow(/^folder cannot be written \(E\w+\)$/);
    expect(read('a.ts')).toBe('a');
    expect(statSync(at('a.ts')).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['a.ts']);
  });

  it('takes back a new file that a link led to, and keeps the link', () => {
    symlinkSync('new.ts', at('link.ts'));
    expect(() => {
      writeChanges([
        { path: at('link.ts'), before: undefined, after: 'new' },
        { path: at('blocked/c.ts'), before: undefined, after: 'c' },
        { path: at('blocked'), before: undefined, after: 'no file can have this name' },
      ]);
    }).toThrow(/^blocked cannot be written/);
    expect(lstatSync(at('link.ts')).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['a.ts', 'link.ts']);
  });
});
