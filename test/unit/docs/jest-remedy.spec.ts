import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';

it('shows the swc transform with which test/consumers runs on Node 20 and 22', () => {
  const page = readFileSync('docs/testing.md', 'utf8');
  const section = page.slice(page.indexOf('## Nest 12, CommonJS and Jest'));
  const shown: unknown = JSON.parse(/```json\n([^]*?)```/.exec(section)?.[1] ?? 'null');
  const used: unknown = JSON.parse(
    readFileSync('test/consumers/nest12-commonjs/test/jest-e2e.swc.json', 'utf8'),
  );
  expect(shown).toEqual(used);
});
