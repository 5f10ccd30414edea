import { describe, expect, it } from 'vitest';
import { type Conclusion } from '../../../../../lib/cli/conformance/conclusion.js';
import {
  conclusionLine,
  conclusionsSummary,
} from '../../../../../lib/cli/conformance/report/conclusion-lines.js';
import {
  type ConformanceReport,
  reportSections,
} from '../../../../../lib/cli/conformance/report/conformance-report.js';
import { htmlReport } from '../../../../../lib/cli/conformance/report/html-report.js';
import { LETTER_QUESTIONS } from '../../../../../lib/cli/conformance/report/letter-questions.js';
import { markdownReport } from '../../../../../lib/cli/conformance/report/markdown-report.js';

const HELD: Conclusion = {
  verdict: 'held',
  question: 'repeated key',
  says: 'DUPLICATE_REQUEST for the same key and body',
  fact: { name: 'repeated key', value: 'DUPLICATE_REQUEST' },
  evidence: ['id-1', 'id-2', 'id-3'],
};
const DIFFERS: Conclusion = {
  verdict: 'differs',
  question: 'wrong currency',
  says: 'an unknown error shape <b>|</b>',
  evidence: [],
};
const LEARNT: Conclusion = {
  verdict: 'learnt',
  question: 'signature',
  says: 'signature: HMAC-SHA256, hex',
  evidence: ['id-4'],
  option: 'webhooks.scheme',
};
const SILENT: Conclusion = {
  verdict: 'silent',
  question: 'payout events',
  says: 'no webhook for payouts within 10 min',
  evidence: [],
};
const ALL = [HELD, DIFFERS, LEARNT, SILENT];
const plain = (_look: string, text: string): string => text;

describe('a conclusion in a line', () => {
  it.each([
    [HELD, undefined, /^held {6}DUPLICATE_REQUEST for the same key and body {20}request_id id-1, id-2$/],
    [DIFFERS, undefined, /^differs {3}an unknown error shape <b>\|<\/b>$/],
    [LEARNT, undefined, /^learnt {4}signature: HMAC-SHA256, hex +webhooks\.scheme$/],
    [{ ...HELD, evidence: ['webhook-0a1b'] }, undefined, /same key and body +webhook-0a1b$/],
    [{ ...LEARNT, option: undefined }, undefined, / nothing to set$/],
    [SILENT, 7, /^silent {4}payout events: no webhook for payouts within 10 min +question 7 in the letter$/],
    [SILENT, undefined, /^silent {4}payout events: no webhook for payouts within 10 min$/],
  ])('says what was found, and what follows %#', (conclusion, letterNumber, line) => {
    expect(conclusionLine(conclusion as Conclusion, letterNumber, plain)).toMatch(line);
  });

  it('counts the verdicts', () => {
    expect(conclusionsSummary([...ALL, HELD])).toBe('5 conclusions: 2 held, 1 differs, 1 learnt, 1 silent.');
  });
});

const REPORT: ConformanceReport = {
  gateway: 'gateway.example',
  observedAt: new Date('2026-11-26T10:00:00Z'),
  conclusions: ALL,
  notAsked: [{ point: 'how many | pipes', why: 'it cannot be asked' }],
  letter: LETTER_QUESTIONS.slice(0, 2),
  withoutValue: 'The profile has no value for <this>.',
  options: "refusalCodes: ['INVALID_BANK']",
};

describe('a report', () => {
  it('shows what needs a look first, and leaves out what there is nothing of', () => {
    expect(reportSections(ALL).map(({ title }) => title)).toEqual(['Differs', 'Learnt', 'Held', 'Silent']);
    expect(reportSections([HELD]).map(({ title }) => title)).toEqual(['Held']);
  });

  it('has every finding, its evidence, the options and the open questions in Markdown', () => {
    const text = markdownReport(REPORT);
    expect(text).toContain('# What gateway.example does\n');
    expect(text).toContain(
      '| DUPLICATE\\_REQUEST for the same key and body | repeated key |  | id-1, id-2, id-3 |',
    );
    expect(text).toContain('an unknown error shape \\<b\\>\\|\\</b\\>');
    expect(text).toContain('## Profile\n\nThe profile has no value for \\<this\\>.');
    expect(text).toContain("```ts\nrefusalCodes: ['INVALID_BANK']\n```");
    expect(text).toContain('| how many \\| pipes | it cannot be asked |');
    expect(text).toContain(`2. ${LETTER_QUESTIONS[1]?.english ?? 'none'}`);
  });

  it('has the same in HTML, with nothing that a browser would run or load', () => {
    const text = htmlReport(REPORT);
    expect(text).toContain('<td>DUPLICATE_REQUEST for the same key and body</td>');
    expect(text).toContain('an unknown error shape &lt;b&gt;|&lt;/b&gt;');
    expect(text).toContain('<h2>Profile</h2><p>The profile has no value for &lt;this&gt;.</p>');
    expect(text).toContain('<code>refusalCodes: [&#39;INVALID_BANK&#39;]</code>');
    expect(text).toContain('<td>how many | pipes</td>');
    expect(text).not.toMatch(/<script|src=|href=|@import|url\(/);
  });

  it('has no empty parts', () => {
    const bare = { ...REPORT, notAsked: [], letter: [], withoutValue: undefined, options: undefined };
    for (const text of [markdownReport(bare), htmlReport(bare)])
      expect(text).not.toMatch(/Not asked|Open questions|Profile|Options/);
  });
});
