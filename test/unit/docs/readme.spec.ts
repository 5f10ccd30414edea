import { describe, expect, it } from 'vitest';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES, snippetsOf } from '../../support/document-pages.js';

const root = process.cwd();
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('the documents', () => {
  it('register no scheme without a signed time in such a way that the boot warns of the retention', () => {
    const samples = readdirSync(join(root, 'sample'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map((file) => [`sample/${file}`, read(`sample/${file}`)] as const);
    const blocks = [...PAGES.flatMap((page) => [...snippetsOf(page)]), ...samples];
    const registering = blocks.filter(
      ([, code]) => code.includes('PaymentsModule.forRoot') && code.includes("payload: ['body']"),
    );
    expect(registering.length).toBeGreaterThan(6);
    const warned = registering.filter(([, code]) => !code.includes('retentionDays: Infinity'));
    expect(warned.map(([place]) => place)).toEqual([]);
  });

  it('name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = read(page)
    .replaceAll(/```[\s\S]*?```/g, '')
    .matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Every link of a page to a file of the repository, with the file that it leads to. */
function linksOf(
  page: string,
): readonly { readonly link: string; readonly file: string; readonly anchor: string }[] {
  return [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, path = '', anchor = '']) => ({
      link: `${path}#${anchor}`,
      file: path === '' ? page : join(dirname(page), path),
      anchor,
    }),
  );
}

describe.each(PAGES)('%s', (page) => {
  it('links only to files that exist', () => {
    const broken = linksOf(page).filter(({ file }) => !existsSync(join(root, file)));
    expect(broken).toEqual([]);
  });

  it('links only to headings that exist', () => {
    const broken = linksOf(page).filter(
      ({ file, anchor }) => anchor !== '' && file.endsWith('.md') && !anchorsOf(file).has(anchor),
    );
    expect(broken).toEqual([]);
  });
});

it('no table of a page has a row longer than 260 characters', () => {
  const wide = PAGES.filter((page) =>
    read(page)
      .split('\n')
      .some((line) => line.startsWith('|') && line.length > 260),
  );
  expect(wide).toEqual([]);
});

it('docs/README.md, which the navigation of the site is made of, leads to every page', () => {
  const linked = new Set(linksOf('docs/README.md').map(({ file }) => file));
  const indexes = ['README.md', 'docs/README.md'];
  expect(PAGES.filter((page) => !indexes.includes(page) && !linked.has(page))).toEqual([]);
});
