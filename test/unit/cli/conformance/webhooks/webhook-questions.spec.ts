import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { concludeWebhooks } from '../../../../../lib/cli/conformance/webhooks/conclude-webhooks.js';
import { WEBHOOK_QUESTIONS } from '../../../../../lib/cli/conformance/webhooks/webhook-questions.js';

describe('the questions about webhooks', () => {
  it('have names of their own, and decide points of docs/assumptions.md', () => {
    const points = [...readFileSync('docs/assumptions.md', 'utf8').matchAll(/^\| (.*?) +\|/gm)].map(
      ([, cell]) => cell,
    );
    expect(points.length).toBeGreaterThan(30);
    expect(WEBHOOK_QUESTIONS.filter(({ point }) => !points.includes(point))).toEqual([]);
    expect(new Set(WEBHOOK_QUESTIONS.map(({ name }) => name)).size).toBe(WEBHOOK_QUESTIONS.length);
  });

  it('are silent if nothing was heard', () => {
    const heard = { deliveries: [], asked: new Map(), secrets: ['a secret'], from: 0, until: 0 };
    const { conclusions, webhooks } = concludeWebhooks(heard);
    expect(webhooks).toBeUndefined();
    expect(conclusions.map(({ question }) => question)).toEqual(WEBHOOK_QUESTIONS.map(({ name }) => name));
    expect(
      conclusions.filter(({ verdict, evidence }) => verdict !== 'silent' || evidence.length > 0),
    ).toEqual([]);
  });
});
