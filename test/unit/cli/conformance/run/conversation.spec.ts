import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Conversation } from '../../../../../lib/cli/conformance/run/conversation.js';
import { planRun, type RunCaps } from '../../../../../lib/cli/conformance/run/plan.js';
import { type Question, type Step } from '../../../../../lib/cli/conformance/questions/question.js';
import { type StepAnswer } from '../../../../../lib/cli/conformance/questions/step-answer.js';
import { ownJournal } from '../../../../support/conformance-run.js';

const COLLECT: Step = { operation: 'POST /payments/mobile-money', body: { amount: 1, currency: 'TZS' } };
const BALANCE: Step = { operation: 'GET /merchant-balance' };

/** A gateway that answers everything so; undefined: it cuts the connection. */
async function gatewayWith(answer: { status: number; code: string } | undefined) {
  const server = createServer((request, response) => {
    request.resume();
    if (!answer) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, code: answer.code, message: '' }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    apiKey: 'pk_test_a',
    apiSecret: 'sk_test_a',
  };
}

/** Asks the requests in runs that resume each other, one for each list, and gives the last answer. */
async function lastAnswer(
  gateway: Awaited<ReturnType<typeof gatewayWith>>,
  steps: readonly Step[],
  caps: RunCaps,
  asked: readonly (readonly number[])[],
): Promise<StepAnswer | undefined> {
  const question: Question = {
    name: 'asked',
    point: '',
    asks: '',
    needs: [],
    steps: () => steps,
    concludes: () => [],
  };
  // The plan is another one than that of the caps: the budget is the second check.
  const wide = planRun({ amountCents: 100 }, { maxRequests: 9, maxAmountCents: 900 }, [question]);
  const journal = ownJournal();
  let last: StepAnswer | undefined;
  for (const indexes of asked) {
    const conversation = await Conversation.open(gateway, { ...wide, caps }, journal);
    for (const index of indexes) ({ answer: last } = await conversation.ask(wide.questions[0]!, index));
    conversation.close();
  }
  return last;
}

describe('the caps of a run', () => {
  it.each([
    ['has back', 'a refusal', { status: 422, code: 'INVALID_PHONE' }, {}, true],
    ['has not back', 'a listed code with 500', { status: 500, code: 'INVALID_PHONE' }, {}, false],
    ['has not back', 'a duplicate of nothing', { status: 409, code: 'DUPLICATE_REQUEST' }, {}, false],
    ['has not back', 'a duplicate of nothing', { status: 409, code: 'DUPLICATE_REFERENCE' }, {}, false],
    ['has back', 'a used key', { status: 409, code: 'DUPLICATE_REQUEST' }, { keyOf: 0 }, true],
    ['has back', 'a used reference', { status: 409, code: 'DUPLICATE_REFERENCE' }, { referenceOf: 0 }, true],
  ] as const)('%s the money of %s, at once and in a resumed run: %j', async (_, __, answer, rest, isBack) => {
    const gateway = await gatewayWith(answer);
    const caps = { maxRequests: 9, maxAmountCents: 100 };
    const steps = [{ ...COLLECT, ...rest }, COLLECT];
    for (const asked of [[[0, 1]], [[0], [1]]]) {
      const last = await lastAnswer(gateway, steps, caps, asked);
      expect(last?.kind === 'fault' && last.why).toBe(
        isBack ? false : 'it was not sent: it could pass --max-amount',
      );
    }
  });

  it('count a request again that a resumed run repeats', async () => {
    const gateway = await gatewayWith(undefined);
    const caps = { maxRequests: 3, maxAmountCents: 0 };
    const steps = [BALANCE, BALANCE];
    expect(await lastAnswer(gateway, steps, caps, [[0], [0], [1]])).toMatchObject({
      why: expect.not.stringContaining('--max-requests') as string,
    });
    expect(await lastAnswer(gateway, steps, caps, [[0], [0], [0], [1]])).toMatchObject({
      why: 'it was not sent: --max-requests 3 is reached',
    });
  });
});
