import { describe, expect, it } from 'vitest';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compilerProblems } from '../../support/compiler-problems.js';

const root = process.cwd();
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs/accounts.md',
  'docs/assumptions.md',
  'docs/cli.md',
  'docs/dependencies.md',
  'docs/diagnostics.md',
  'docs/migrating.md',
  'docs/money-safety.md',
  'docs/observability.md',
  'docs/openapi.md',
  'docs/performance.md',
  'docs/production.md',
  'docs/sandbox-control-api.md',
  'docs/sandbox.md',
  'docs/scaling.md',
  'docs/storage.md',
  'docs/testing.md',
  'docs/webhooks.md',
];

/** Pages whose TypeScript blocks are whole files; those of the others are parts of one. */
const WHOLE = [
  'README.md',
  'docs/accounts.md',
  'docs/migrating.md',
  'docs/observability.md',
  'docs/openapi.md',
  'docs/storage.md',
  'docs/testing.md',
  'docs/webhooks.md',
];

/** The TypeScript blocks of a page, by the name of the file that a user would put them in. */
function snippetsOf(page: string): Map<string, string> {
  const blocks = [...read(page).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  const name = page.replaceAll(/\W/g, '-');
  return new Map(blocks.map((code, index) => [join(root, `snippet-${name}-${index}.ts`), code]));
}

describe('the documents', () => {
  it('show only code that compiles', () => {
    const snippets = new Map(WHOLE.flatMap((page) => [...snippetsOf(page)]));
    expect(snippets.size).toBeGreaterThanOrEqual(11);
    expect(compilerProblems(snippets)).toEqual([]);
  }, 60_000);

  it('name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it.each(PAGES)('%s links only to files that exist', (page) => {
  const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!);
  expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});
