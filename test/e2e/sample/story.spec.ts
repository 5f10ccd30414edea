import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  OFFICE_PASSWORD,
  type StartedShop,
  startShop,
} from '../../../sample/01-quickstart/test/start-shop.js';
import { playQuickstart } from '../../../scripts/demo/quickstart-story.mjs';
import { StoryError } from '../../../scripts/demo/steps.mjs';

let sandbox: PaymentsSandbox;
let shop: StartedShop | undefined;
let told: string[];

beforeEach(async () => {
  told = [];
  sandbox = await PaymentsSandbox.start();
});

afterEach(async () => {
  await shop?.stop();
  await sandbox.stop();
});

async function play(environment: Record<string, string> = {}): Promise<void> {
  shop = await startShop(sandbox, environment);
  await playQuickstart({
    shop: shop.url,
    emulator: sandbox.url,
    officePassword: OFFICE_PASSWORD,
    tell: (step) => told.push(step),
  });
}

describe('the story of `npm run demo -- --once`', () => {
  it('goes well from the first balance to the last', async () => {
    await play();
    expect(told).toEqual([
      'Balance before',
      'Mobile money collection',
      'Approval on the phone',
      'Signed webhook',
      'Order paid',
      'Partner wallet collection',
      'Declined on the phone',
      'Name lookup',
      'Bank payout',
      'Payout paid',
      'Balance after',
    ]);
  });

  it('names the webhook when the shop has another secret', async () => {
    const wrong = play({ PAYMENTS_WEBHOOK_SECRET: 'whsec_of_somebody_else_entirely' });
    await expect(wrong).rejects.toThrow(
      new StoryError('Signed webhook', 'the shop answered 401 instead of 200'),
    );
    expect(told).toEqual(['Balance before', 'Mobile money collection', 'Approval on the phone']);
  });

  it('names the first step when the keys are wrong', async () => {
    const wrong = play({ PAYMENTS_API_SECRET: 'sk_test_other' });
    await expect(wrong).rejects.toThrow(/^Balance before: \/office\/balance answered 502/);
  });

  it('names the collection when the gateway refuses it', async () => {
    sandbox.next('POST /payments/mobile-money').status(422);
    await expect(play()).rejects.toThrow(/^Mobile money collection: \/orders answered 422/);
  });

  it('notices an answer that was lost', async () => {
    sandbox.next('POST /payments/partnerpesa').dropAfterProcessing();
    await expect(play()).rejects.toThrow(/^Partner wallet collection: the order is awaiting-outcome instead/);
  });
});
