import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../../lib/cli/shell-word.js';

describe('shellWord', () => {
  it.each(['apps/shop', '../..', '@acme/shop'])('leaves %s as it is', (word) => {
    expect(shellWord(word, 'linux')).toBe(word);
  });

  it.each([
    'apps/my shop',
    'a$HOME',
    'a`b',
    'a"b',
    "it's",
    'a;b',
    '',
    String.raw`a\b`,
    String.raw`a \" b`,
    'a b\\',
  ])('is read by a shell as %j', (word) => {
    const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(word, 'linux')}`], { encoding: 'utf8' });
    expect(stdout).toBe(word);
    expect(shellWord(word, 'linux')).not.toBe(word);
  });

  it.each([
    [String.raw`C:\apps`, String.raw`C:\apps`],
    [String.raw`C:\my apps`, String.raw`"C:\my apps"`],
    ['C:\\my apps\\', String.raw`"C:\my apps\\"`],
    ['@acme/shop', '"@acme/shop"'],
    ['S-001,S-002', '"S-001,S-002"'],
    ["it's; a & b", `"it's; a & b"`],
  ])('makes %s of Windows into %s', (word, quoted) => {
    expect(shellWord(word, 'win32')).toBe(quoted);
  });

  // cmd or PowerShell would run a part of it, or put a variable in its place, however it is quoted.
  it.each([
    'pay$(Start-Process calc).csv',
    'pay`n.csv',
    '%USERNAME%.csv',
    'a"; calc; "',
    'a\u201D; calc; \u201C',
    'a\r\ncalc',
  ])('leaves %j to the person on Windows', (word) => {
    expect(shellWord(word, 'win32')).toBe('"<quote it yourself>"');
  });
});
