import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ASKED_IN_PART, NOT_ASKED } from '../../../../../lib/cli/conformance/questions/not-asked.js';
import { OBSERVATIONS } from '../../../../../lib/cli/conformance/questions/observations.js';
import { QUESTIONS } from '../../../../../lib/cli/conformance/questions/questions.js';
import { WEBHOOK_QUESTIONS } from '../../../../../lib/cli/conformance/webhooks/webhook-questions.js';

const ROW = /^\| (?<point>[^|]+?) +\|/gm;
const rows = [...readFileSync('docs/assumptions.md', 'utf8').matchAll(ROW)]
  .map(({ groups }) => groups?.['point'] ?? '')
  .filter((point) => !/^(-+|the specification|point)$/.test(point));
const asked = [...QUESTIONS, ...OBSERVATIONS, ...WEBHOOK_QUESTIONS].map(({ point }) => point);

describe('the points of the assumptions', () => {
  it('has read both tables', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows).toContain('account numbers');
    expect(rows).toContain('says only that a processed key gives `DUPLICATE_REQUEST`');
  });

  it.each(rows)('has a question or a reason for: %s', (point) => {
    const places = [asked.includes(point), Object.hasOwn(NOT_ASKED, point)];
    expect(places.filter(Boolean)).toHaveLength(1);
  });

  it('asks about each point that it says it asks in part', () => {
    for (const point of Object.keys(ASKED_IN_PART)) expect(asked).toContain(point);
  });

  it('asks about no other point', () => {
    const all = [...asked, ...Object.keys(NOT_ASKED)];
    expect(all.filter((point) => !rows.includes(point))).toEqual([]);
  });

  it('gives each question a name of its own and a question mark', () => {
    const names = [...QUESTIONS, ...OBSERVATIONS, ...WEBHOOK_QUESTIONS].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { asks } of [...QUESTIONS, ...OBSERVATIONS]) expect(asks).toMatch(/^[A-Z].*\?$/);
  });
});
