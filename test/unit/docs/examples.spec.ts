import { beforeAll, describe, expect, it } from 'vitest';
import { compilerProblems } from '../../support/compiler-problems.js';
import { wholeSnippets } from '../../support/document-pages.js';
import { ENTRY_POINTS } from '../../support/public-exports.js';
import { tsdocExamples, unfencedExamples } from '../../support/tsdoc-examples.js';

const examples = tsdocExamples(ENTRY_POINTS);
const snippets = wholeSnippets();
/** What `nest new` brings, for the snippets of README.md. */
const generated = new Map([
  ['readme/src/app.controller.ts', 'export class AppController {}\n'],
  ['readme/src/app.service.ts', 'export class AppService {}\n'],
  ['readme/globals.d.ts', '/// <reference types="vitest/globals" />\n'],
]);
let problems: readonly string[];

// One program for both: to read the declarations of all packages takes longer than to check the examples.
beforeAll(async () => {
  problems = await compilerProblems(new Map([...examples, ...snippets, ...generated]));
});

function problemsOf(files: ReadonlyMap<string, string>): readonly string[] {
  return problems.filter((problem) => [...files.keys()].some((file) => problem.startsWith(`${file}(`)));
}

it('the compiler has no problem with anything but examples', () => {
  const others = new Set(problems);
  for (const problem of [...problemsOf(examples), ...problemsOf(snippets)]) others.delete(problem);
  expect([...others]).toEqual([]);
});

describe('the examples in documentation comments', () => {
  it('compile', () => {
    expect(examples.size).toBeGreaterThanOrEqual(45);
    expect(problemsOf(examples)).toEqual([]);
  });

  it('are in blocks, so that a decorator is not a tag', () => {
    expect(unfencedExamples()).toEqual([]);
  });
});

describe('the documents', () => {
  it('show only code that compiles', () => {
    expect(snippets.size).toBeGreaterThanOrEqual(11);
    expect(problemsOf(snippets)).toEqual([]);
  });
});
