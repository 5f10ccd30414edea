import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
  it('leaves no draft that could not be put in place', () => {
    const draft = draftFile(join(folder, 'file'), 'text');
    mkdirSync(join(folder, 'file'));
    expect(() => {
      draft.putInPlace();
    }).toThrow(/EISDIR|EPERM/);
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
