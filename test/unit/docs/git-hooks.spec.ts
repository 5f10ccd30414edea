import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-message-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function exitCodeFor(message: string): number | null {
  const file = join(folder, 'message');
  writeFileSync(file, message);
  return spawnSync('.githooks/commit-msg', [file], { encoding: 'utf8' }).status;
}

it('every git hook is executable', () => {
  const hooks = readdirSync('.githooks');
  expect(hooks.sort()).toEqual(['commit-msg', 'pre-commit']);
  expect(hooks.filter((hook) => (statSync(join('.githooks', hook)).mode & 0o111) !== 0o111)).toEqual([]);
});

describe('the commit-msg hook', () => {
  it.each([
    'fix(webhooks): a late delivery keeps its claim',
    'feat!: the storage port has three parts',
    'docs: say what a lease is\n\nThe body is free. It may end with a full stop.',
    '# a comment of git\nci: run every step\n',
    "Merge branch 'main'",
    'fixup! fix(webhooks): a late delivery keeps its claim',
  ])('takes %j', (message) => {
    expect(exitCodeFor(message)).toBe(0);
  });

  it.each([
    'A late delivery keeps its claim',
    'fixed(webhooks): a late delivery keeps its claim',
    'fix(webhooks) a late delivery keeps its claim',
    'fix: a late delivery keeps its claim.',
    'fix: ',
    `fix: ${'a'.repeat(96)}`,
    '',
  ])('refuses %j', (message) => {
    expect(exitCodeFor(message)).toBe(1);
  });
});
