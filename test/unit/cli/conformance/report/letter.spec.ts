import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { letterOf } from '../../../../../lib/cli/conformance/report/letter.js';
import { LETTER_QUESTIONS } from '../../../../../lib/cli/conformance/report/letter-questions.js';

/** The first cells of the table under a heading of the document. */
function pointsUnder(heading: string): string[] {
  const [, after = ''] = readFileSync('docs/assumptions.md', 'utf8').split(`## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => (row.split(' | ')[0] ?? '').replace(/^\| /, '').trim());
}

describe('the letter to the support', () => {
  it('has a question for each point that the specification leaves open to the package, in the same order', () => {
    const points = pointsUnder('In the package');
    expect(points.length).toBeGreaterThan(20);
    expect(LETTER_QUESTIONS.map(({ point }) => point)).toEqual(points);
  });

  it('asks the same questions under the same numbers in English and in Swahili', () => {
    const letter = letterOf(LETTER_QUESTIONS.slice(3, 5));
    const [english = '', swahili = ''] = letter.split('\n---\n');
    for (const [index, question] of LETTER_QUESTIONS.slice(3, 5).entries()) {
      expect(english).toContain(`\n${index + 1}. ${question.english}\n`);
      expect(swahili).toContain(`\n${index + 1}. ${question.swahili}\n`);
    }
    expect(english).toContain('Dear support team,');
    expect(swahili).toContain('Ndugu timu ya msaada,');
    expect(letter).not.toContain(LETTER_QUESTIONS[0]?.english);
    // Much of it was never asked.
    expect(letter).not.toMatch(/requests to|maombi kwa/);
  });

  it('ends each question with a question mark', () => {
    for (const { english, swahili } of LETTER_QUESTIONS) {
      expect(english).toMatch(/\?$/);
      expect(swahili).toMatch(/\?$/);
    }
  });
});
