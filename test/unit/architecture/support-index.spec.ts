import { expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';

it('test/support/README.md lists every file of its folder once, and no other', () => {
  const index = readFileSync('test/support/README.md', 'utf8');
  const listed = [...index.matchAll(/^- `([^`]+)`: \S/gm)].map(([, name]) => name!);
  const present = readdirSync('test/support', { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .filter((name) => name !== 'README.md');
  expect(listed.sort()).toEqual(present.sort());
});
