import { readFileSync } from 'node:fs';
import { ESLint, Linter } from 'eslint';
import { beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../support/document-pages.js';

/** The rules that look at words, and need no types. */
const OF_WORDS = ['no-warning-comments', 'no-restricted-syntax'] as const;
/** Past releases stay as they were written. */
const WRITTEN_BEFORE = 'CHANGELOG.md';

let rules: Linter.RulesRecord;
let words: readonly string[];

beforeAll(async () => {
  const config = (await new ESLint().calculateConfigForFile('lib/index.ts')) as { rules: Linter.RulesRecord };
  rules = Object.fromEntries(OF_WORDS.map((rule) => [rule, config.rules[rule]!]));
  [, { terms: words }] = rules['no-warning-comments'] as [unknown, { terms: readonly string[] }];
});

function faultsOf(code: string): readonly (string | null)[] {
  return new Linter().verify(code, [{ rules }]).map(({ ruleId }) => ruleId);
}

describe('the linter of lib', () => {
  it.each([
    ['a line comment', '// Whoever waited for a lookup begins its call now.', 'no-warning-comments'],
    ['a block comment', '/** Wakes everybody. */', 'no-warning-comments'],
    ['a message', "const message = 'Others change the batch all the time.';", 'no-restricted-syntax'],
    ['a template', 'const message = `${1} waits for ever`;', 'no-restricted-syntax'],
  ])('finds a word without a subject in %s', (_where, code, rule) => {
    expect(faultsOf(code)).toEqual([rule]);
  });

  it('leaves plain sentences alone', () => {
    expect(faultsOf("// Callers that waited start now.\nconst message = 'It waits forever.';")).toEqual([]);
  });
});

it('no document has such a word', () => {
  const pages = PAGES.filter((page) => page !== WRITTEN_BEFORE);
  const pattern = new RegExp(
    `\\b(?:${words.map((word) => word.replaceAll(' ', '\\s+')).join('|')})\\b`,
    'gi',
  );
  const found = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(pattern)].map(([word]) => `${page}: ${word}`),
  );
  expect(pages.length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});
