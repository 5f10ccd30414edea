import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { snippetsOf } from './document-pages.js';

const SKILL_PAGE = 'skills/nestjs-payments/SKILL.md';
export const SKILL = readFileSync(SKILL_PAGE, 'utf8');

/** The text under each heading of "Never", unwrapped. */
export const SECTIONS: ReadonlyMap<string, string> = new Map(
  SKILL.slice(SKILL.indexOf('\n## Never\n'))
    .split('\n### ')
    .slice(1)
    .map((section) => [section.split('\n')[0]!, section.replaceAll(/\s+/g, ' ')]),
);

/** The code within the sentences of a section. */
export function codeOf(heading: string): readonly string[] {
  return [...(SECTIONS.get(heading) ?? '').matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

/**
 * Runs the one code of a section that begins so, as it stands there.
 *
 * @param scope What the code may name.
 * @returns the value of an expression.
 */
export function runCode(heading: string, begin: string, scope: Readonly<Record<string, unknown>>): unknown {
  const [code, ...more] = codeOf(heading).filter((each) => each.startsWith(begin));
  if (code === undefined || more.length > 0)
    throw new Error(`"${heading}" has not one code that begins with ${begin}.`);
  const body = /^(?:if|try)\b/.test(code) ? `{ ${code} }` : `(${code})`;
  const run = runInThisContext(`(${Object.keys(scope).join(', ')}) => ${body}`) as (
    ...values: unknown[]
  ) => unknown;
  return run(...Object.values(scope));
}

/** Imports what the block with this path exports, out of a folder inside the repository. */
export async function importBlock(path: string, folder: string): Promise<Record<string, unknown>> {
  const code = [...snippetsOf(SKILL_PAGE).values()].find((block) => block.startsWith(`// ${path}\n`));
  if (code === undefined) throw new Error(`The skill has no block ${path}.`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, basename(path));
  writeFileSync(file, code);
  return (await import(file)) as Record<string, unknown>;
}
