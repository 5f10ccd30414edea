import { afterEach, describe, expect, it } from 'vitest';
import { type GatewayFacts, type WebhookFacts } from 'nestjs-payments/sandbox';
import {
  answerTo,
  concludeWebhooks,
  type Conclusion,
  FIVE_ENDINGS,
  stageWebhooks,
  type WebhookStage,
  type WebhooksHeard,
  adversarialFacts,
} from '../../support/heard-webhooks.js';

let stage: WebhookStage;
afterEach(() => stage.stop());

const about = (heard: WebhooksHeard, question: string): Conclusion => answerTo(question, heard);

async function endings(count: number): Promise<WebhooksHeard> {
  for (const ending of FIVE_ENDINGS.slice(0, count)) await stage.end(ending);
  return stage.hear();
}

describe('redelivery', () => {
  it('is learnt from five events', async () => {
    stage = await stageWebhooks();
    const heard = await endings(5);
    expect(about(heard, 'first redelivery')).toMatchObject({
      verdict: 'learnt',
      says: 'a refused webhook comes again after 5 s, give or take 1 s; 2 tries were seen',
      fact: { name: 'first redelivery', value: 5 },
      evidence: [
        expect.stringMatching(/^webhook-[\da-f]{12}$/),
        expect.stringMatching(/^webhook-/),
      ] as string[],
    });
    expect(about(heard, 'webhook answers')).toMatchObject({
      verdict: 'learnt',
      says: '200 alone counts as received; 201, 202, 204 do not',
      fact: { name: 'webhook answers', value: '200' },
    });
  });

  it.each([
    [0, 'no webhook came that could be refused', 'the wait before a redelivery is not known'],
    [
      1,
      'the first wait was 5 s for one webhook; two have to agree',
      'the wait before a redelivery is not known',
    ],
    [3, undefined, 'not seen what an answer of 201 and 202 does'],
  ])('is silent about what %s events do not show', async (count, wait, answers) => {
    stage = await stageWebhooks();
    const heard = await endings(count);
    if (wait !== undefined)
      expect(about(heard, 'first redelivery')).toMatchObject({ verdict: 'silent', says: wait });
    expect(about(heard, 'webhook answers')).toMatchObject({ verdict: 'silent', says: answers });
  });

  it('tells later waits as far as they were seen', async () => {
    stage = await stageWebhooks();
    await endings(2);
    await stage.sandbox.clock.advance('5m');
    expect(about(await stage.hear(), 'first redelivery').says).toBe(
      'a refused webhook comes again after 5 s, give or take 1 s; then after 300 s; 3 tries were seen',
    );
  });

  const HMAC = {
    scheme: 'hmac',
    header: 'x-s',
    algorithm: 'sha512',
    encoding: 'base64',
    payload: ['body'],
  } as const;
  it.each<[GatewayFacts, WebhookFacts]>([
    [{ 'first redelivery': 1, 'webhook answers': '2xx' }, HMAC],
    [
      { 'first redelivery': 7, 'webhook answers': '200' },
      { scheme: 'standardWebhooks', prefix: 'svix' },
    ],
    [
      { 'first redelivery': 60, 'webhook answers': '2xx' },
      { scheme: 'stripeStyle', header: 'x-s', separator: ':' },
    ],
    [
      { 'first redelivery': 300, 'webhook answers': '2xx' },
      { ...HMAC, secretEncoding: 'base64' },
    ],
  ])('gives back the profile that the emulator obeys: %j', async (facts, webhooks) => {
    const profile = {
      version: 1,
      observedAt: '2026-01-01T00:00:00Z',
      facts,
      evidence: {},
      webhooks,
    } as const;
    const webhookSecret = Buffer.alloc(32, 'a secret').toString('base64');
    stage = await stageWebhooks({ profile, webhookSecret });
    const found = concludeWebhooks(await endings(5));
    const learnt = found.conclusions.flatMap(({ fact }) => (fact ? [[fact.name, fact.value]] : []));
    // Whether a webhook is signed again is seen only if the machine's time continued.
    expect({ 'repeated webhook': 'signed again', ...Object.fromEntries(learnt) }).toEqual({
      'repeated webhook': 'signed again',
      ...facts,
    });
    expect(found.webhooks).toEqual(webhooks);
  });

  it('is never learnt wrongly from an emulator that varies what it may', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      stage = await stageWebhooks({ profile: 'adversarial', seed });
      const heard = await endings(5);
      const { fact } = about(heard, 'first redelivery');
      if (fact) expect(fact.value).toBe(5);
      const counts = about(heard, 'webhook answers').fact?.value;
      if (counts !== undefined) expect(counts).toBe(adversarialFacts(seed)['webhook answers']);
      await stage.stop();
    }
    stage = await stageWebhooks();
  });
});
