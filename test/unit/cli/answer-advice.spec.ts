import { describe, expect, it } from 'vitest';
import { likelyCause } from '../../../lib/cli/answer-advice.js';

describe('the likely cause of an answer', () => {
  it.each([
    [201, '@PaymentsWebhook, or @HttpCode(200)'],
    [204, 'only 200 counts'],
    [302, 'redirects are not followed'],
    [400, 'not a JSON object'],
    [401, 'PAYMENTS_WEBHOOK_SECRET'],
    [403, 'public'],
    [404, 'global prefix'],
    [413, 'bodyLimit'],
    [415, 'application/json'],
    [422, 'data.amount'],
    [500, 'handler threw'],
    [503, 'storage'],
    [503, 'ingress'],
  ])('of %d names what to look at', (status, words) => {
    expect(likelyCause(status)).toContain(words);
  });

  it('is nothing if all is well, or if the cause is unknown', () => {
    expect([200, 418, 599].map(likelyCause)).toEqual([undefined, undefined, undefined]);
  });
});
