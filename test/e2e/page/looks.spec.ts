import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { pageProblems } from '../../support/axe.js';
import { complaintsOf, describeWithBrowser, type PageOptions } from '../../support/browser.js';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage, VIEWS } from '../../support/sandbox-page.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

const FORMS: readonly (readonly [name: string, options: PageOptions, language: string])[] = [
  ['light', { colorScheme: 'light' }, 'en'],
  ['dark', { colorScheme: 'dark' }, 'en'],
  ['320 pixels wide, in Swahili', { width: 320, height: 700 }, 'sw'],
];

describeWithBrowser("every view of the emulator's page", (browser) => {
  let sandbox: PaymentsSandbox;
  let receiver: WebhookReceiver;
  let places: readonly string[];

  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.answerWith(500);
    sandbox = await startSandbox({ clock: 'manual', seed: 3 });
    sandbox.deliverTo(receiver.url);
    const gateway = callerOf(sandbox);
    for (const reference of ['order-1', 'order-2']) await gateway.collect({ reference });
    await sandbox.customer('255712345678').approve('order-1');
    await gateway.collect({ reference: 'a-reference-that-never-ends-'.repeat(3) });
    await gateway.payToBank();
    await gateway.payToPhone();
    sandbox.next('POST /payments/mobile-money').status(429, { retryAfter: 2 });
    const [delivery] = sandbox.deliveries();
    const [request] = sandbox.requests();
    places = [
      ...VIEWS,
      'payments/order-1',
      'payouts/salary-1',
      `webhooks/${delivery!.id}`,
      `requests/${request!.id}`,
    ];
  });

  afterAll(() => receiver.close());

  it.each(FORMS)(
    'is without a violation that axe knows, and without sideways scrolling: %s',
    async (_, options, language) => {
      const page = await browser.open(`${sandbox.url}/`, { reducedMotion: 'reduce', ...options });
      await sandboxPage(page).live();
      await page.locator('#language').selectOption(language);
      const found: unknown[] = [];
      for (const place of places) {
        await page.evaluate(`location.hash = '#/${place}'`);
        await page.locator(`#tab-${place.split('/')[0]}[aria-selected=true]`).waitFor();
        for (const summary of await page.locator('summary:visible').all()) await summary.click();
        found.push(...(await pageProblems(page, place)));
      }
      expect(found).toEqual([]);
      expect(complaintsOf(page)).toEqual([]);
      await browser.close(page);
    },
    120_000,
  );

  it('is without a violation when there is nothing to show', async () => {
    const empty = await startSandbox();
    const page = await browser.open(`${empty.url}/`, { reducedMotion: 'reduce' });
    await sandboxPage(page).live();
    const found: unknown[] = [];
    for (const view of VIEWS) {
      await sandboxPage(page).turnTo(view);
      found.push(...(await pageProblems(page, view)));
    }
    expect(found).toEqual([]);
    await browser.close(page);
  }, 120_000);

  it('moves nothing for a reader who wants it so', async () => {
    const page = await browser.open(`${sandbox.url}/`, { reducedMotion: 'reduce' });
    await sandboxPage(page).cards.first().waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.prompt')).animationName")).toBe(
      'none',
    );
    await browser.close(page);
  });
});
