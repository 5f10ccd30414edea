import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../../lib/cli/shell-word.js';

describe('shellWord', () => {
  it.each(['apps/shop', '../..', '@acme/shop', String.raw`C:\apps`])('leaves %s as it is', (word) => {
    expect(shellWord(word)).toBe(word);
  });

  it.each(['apps/my shop', 'a$HOME', 'a`b', 'a"b', "it's", 'a;b', ''])('is read by a shell as %j', (word) => {
    const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
    expect(stdout).toBe(word);
    expect(shellWord(word)).not.toBe(word);
  });
});
