import { describe, expect, it } from 'vitest';
import { type Conclusion, type Verdict } from '../../../../../lib/cli/conformance/conclusion.js';
import { letterNumber, openQuestions } from '../../../../../lib/cli/conformance/report/open-questions.js';

const found = (question: string, verdict: Verdict): Conclusion => ({
  question,
  verdict,
  says: '',
  evidence: [],
});
const REPEATED = 'says only that a processed key gives `DUPLICATE_REQUEST`';
const points = (...conclusions: Conclusion[]): readonly string[] =>
  openQuestions(conclusions).map(({ point }) => point);

describe('the open questions', () => {
  it('are about every point of which nothing is known', () => {
    expect(points()).toContain(REPEATED);
    expect(points(found('same key, same request', 'held'))).not.toContain(REPEATED);
    expect(points(found('same key, same request', 'differs'))).not.toContain(REPEATED);
  });

  it('are also about a point of which something is known, and something is not', () => {
    const both = [found('same key, same request', 'held'), found('same key, other request', 'silent')];
    expect(points(...both)).toContain(REPEATED);
  });

  it.each([
    ['case of bank codes', 'spells bank codes in two ways'],
    ['amount as text', 'writes amounts as "number" and as "decimal"'],
    ['repeated webhook', 'does not say how long deliveries may repeat'],
    ['longest reference', 'shows no lengths'],
    // Nobody can ask for the status and the shape of PROVIDER_ERROR.
    ['unknown channel', 'shows most HTTP statuses not at all'],
    ['error shapes', 'shows three error shapes'],
  ])('are also about a point that "%s" asks in part: %s', (question, point) => {
    expect(points(found(question, 'learnt'))).toContain(point);
  });

  it('have the number that they have in the letter', () => {
    const silent = found('same key, same request', 'silent');
    const letter = openQuestions([silent, found('bearer', 'learnt')]);
    const number = letterNumber(letter, silent);
    expect(letter[(number ?? 0) - 1]?.point).toBe(REPEATED);
    expect(letterNumber(letter, found('bearer', 'silent'))).toBeUndefined();
  });
});
