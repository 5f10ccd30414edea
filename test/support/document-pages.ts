import { readdirSync, readFileSync } from 'node:fs';

const README = 'README.md';

/** The repository's Markdown pages that people read. */
export const PAGES: readonly string[] = [
  ...[README, 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'sample/README.md'],
  'skills/nestjs-payments/SKILL.md',
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/**
 * Pages whose TypeScript blocks are parts of a file, or of an application; those of the others are whole files. The
 * blocks of the skill become an application in `npm run test:consumers`.
 */
const PARTS: readonly string[] = [
  'docs/diagnostics.md',
  'docs/sandbox.md',
  'skills/nestjs-payments/SKILL.md',
];

/** The TypeScript blocks of all pages that are whole files. */
export function wholeSnippets(): ReadonlyMap<string, string> {
  const whole = PAGES.filter((page) => !PARTS.includes(page));
  return new Map(whole.flatMap((page) => [...snippetsOf(page)]));
}

/** The TypeScript blocks of a page, each by a file name of its own. */
export function snippetsOf(page: string): ReadonlyMap<string, string> {
  if (page === README) return readmeSnippets('readme');
  const name = page.replaceAll(/\W/g, '-');
  return new Map(blocksOf(page).map((code, index) => [`snippet-${name}-${index}.ts`, code]));
}

/** The TypeScript blocks of README.md, by the file that each names: they import each other. */
export function readmeSnippets(folder: string): ReadonlyMap<string, string> {
  return new Map(
    blocksOf(README).map((code) => [
      `${folder}/${/^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? 'unnamed.ts'}`,
      code,
    ]),
  );
}

function blocksOf(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
}
