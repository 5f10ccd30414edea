import { readdirSync, readFileSync } from 'node:fs';

/** The repository's Markdown pages that people read. */
export const PAGES: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'sample/README.md'],
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** Pages whose TypeScript blocks are parts of a file; those of the others are whole files. */
const PARTS: readonly string[] = ['docs/diagnostics.md', 'docs/sandbox.md'];

/** The TypeScript blocks of all pages that are whole files. */
export function wholeSnippets(): ReadonlyMap<string, string> {
  const whole = PAGES.filter((page) => !PARTS.includes(page));
  return new Map(whole.flatMap((page) => [...snippetsOf(page)]));
}

/** The TypeScript blocks of a page, by the name of the file that a user would put them in. */
export function snippetsOf(page: string): ReadonlyMap<string, string> {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  const name = page.replaceAll(/\W/g, '-');
  return new Map(blocks.map((code, index) => [`snippet-${name}-${index}.ts`, code]));
}
