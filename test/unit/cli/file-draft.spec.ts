import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { draftFile } from '../../../lib/cli/file-draft.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-draft-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('draftFile', () => {
  it('follows a link that leads nowhere yet from the folder that it really is in', () => {
    mkdirSync(join(folder, 'real/app'), { recursive: true });
    symlinkSync('../file', join(folder, 'real/app/link'));
    symlinkSync('real/app', join(folder, 'app'));
    const draft = draftFile(join(folder, 'app/link'), 'text');
    draft.discard();
    expect(draft.target).toBe(join(realpathSync(folder), 'real/file'));
  });

  it('leaves no draft that could not be put in place', () => {
    const draft = draftFile(join(folder, 'file'), 'text');
    mkdirSync(join(folder, 'file'));
    expect(() => {
      draft.putInPlace();
    }).toThrow(/EISDIR|EPERM/);
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
