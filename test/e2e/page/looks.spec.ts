import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { pageProblems, RULES_OF_LOOKS } from '../../support/axe.js';
import { complaintsOf, describeWithBrowser } from '../../support/browser.js';
import { callerOf } from '../../support/gateway-caller.js';
import { geometryProblems, isCut, placesOf } from '../../support/page-geometry.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage, VIEWS } from '../../support/sandbox-page.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

/**
 * Each width with the colours in which axe looks at each language. Every width is seen in both schemes and both
 * languages, and every view and language in both schemes at two widths or more.
 */
const FORMS = [
  [320, { sw: 'dark', en: 'light' }],
  [768, { sw: 'light', en: 'dark' }],
  [1024, { sw: 'dark', en: 'light' }],
  [1280, { sw: 'light', en: 'dark' }],
  [1920, { sw: 'dark', en: 'light' }],
] as const;
/** Where axe asks all its rules of a language; elsewhere those whose verdict depends on width or colour. */
const ALL_RULES = ['320 sw', '1280 en'];
/** Rows and cards whose colours and forms the first ones have. */
const ALIKE = ['tbody tr:nth-child(n + 7)', '.prompt:nth-child(n + 4)'];
const LOOKS = { rules: RULES_OF_LOOKS, without: ALIKE };
/** From here on the list and the open record stand side by side. */
const WIDE = 1_280;
const RECORDS = ['payments', 'payouts', 'webhooks', 'requests'];

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
    const references = Array.from({ length: 3 }, () => randomUUID());
    const [first = '', second = '', third = ''] = references;
    await gateway.collect({ reference: first, amount: 1_250_000.5 }, { merchant: 'a-rather-long-merchant' });
    await sandbox.merchant('a-rather-long-merchant').customer('255712345678').approve(first);
    await sandbox.clock.advance('26h');
    for (const reference of [second, third]) await gateway.collect({ reference, amount: 98_765_432.1 });
    await sandbox.customer('255712345678').approve(second);
    await gateway.collect({ reference: randomUUID(), phone: '255712340002' });
    await sandbox.clock.advance('2s');
    await gateway.collect({ reference: 'a-reference-that-never-ends-'.repeat(3) });
    await gateway.collect({ reference: 'W'.repeat(90) });
    await gateway.collect({ reference: second });
    const payout = randomUUID();
    await gateway.payToBank({ reference: payout });
    await gateway.payToPhone({ reference: randomUUID() });
    for (let number = 0; number < 60; number += 1) await gateway.get('/merchant-balance');
    sandbox.next('POST /disbursements/name-lookup', { reference: second }).delay('2s');
    sandbox.next('POST /payments/mobile-money').status(429, { retryAfter: 2 });
    const [delivery] = sandbox.deliveries();
    const request = sandbox.requests().find(({ code }) => code === 'DUPLICATE_REFERENCE');
    places = [
      ...VIEWS,
      `payments/${second}/demo`,
      `payouts/${payout}/demo`,
      `webhooks/${delivery!.id}`,
      `requests/${request!.id}`,
    ];
  });

  afterAll(() => receiver.close());

  it.each(FORMS)(
    '%i pixels wide: whole words, lines that hold, no sideways scrolling, and no violation that axe knows',
    async (width, schemes) => {
      const height = width < 700 ? 700 : 900;
      const page = await browser.open(`${sandbox.url}/`, { reducedMotion: 'reduce', width, height });
      await sandboxPage(page).live();
      const found: unknown[] = [];
      for (const language of ['sw', 'en'] as const) {
        const colorScheme = schemes[language];
        await page.emulateMedia({ colorScheme });
        await page.locator('#language').selectOption(language);
        const asked = ALL_RULES.includes(`${width} ${language}`) ? {} : LOOKS;
        for (const place of places) {
          const [view = '', record] = place.split('/');
          await page.evaluate(`location.hash = '#/${place}'`);
          await page.locator(`#tab-${view}[aria-selected=true]`).waitFor();
          await page.locator(record ? `#one-${view} h3` : `#panel-${view}`).waitFor();
          if (!record && RECORDS.includes(view)) await page.locator(`#rows-${view} tr`).first().waitFor();
          for (const summary of await page.locator('summary:visible').all()) await summary.click();
          found.push(...(await geometryProblems(page, `${place} in ${language}`)));
          found.push(...(await pageProblems(page, `${place} in ${language}, ${colorScheme}`, asked)));
        }
      }
      expect(found).toEqual([]);
      expect(complaintsOf(page)).toEqual([]);
      await browser.close(page);
    },
    240_000,
  );

  it.each(FORMS)('%i pixels wide: the open record is beside its list, or in its place', async (width) => {
    const page = await browser.open(`${sandbox.url}/`, { reducedMotion: 'reduce', width });
    await sandboxPage(page).live();
    for (const place of places.filter((one) => one.includes('/'))) {
      const [view = ''] = place.split('/');
      await page.evaluate(`location.hash = '#/${place}'`);
      await page.locator(`#one-${view} h3:focus`).waitFor();
      const { list, one } = await placesOf(page, view);
      expect([place, list.visible]).toEqual([place, width >= WIDE]);
      if (!list.visible) continue;
      expect(one.left).toBeGreaterThan(list.right);
      expect(Math.abs(one.top - list.top)).toBeLessThan(4);
      expect(Math.min(list.width, one.width)).toBeGreaterThan(400);
    }
    await browser.close(page);
  });

  it('uses a wide screen', async () => {
    const page = await browser.open(`${sandbox.url}/`, { reducedMotion: 'reduce', width: 1_920 });
    await sandboxPage(page).live();
    expect((await placesOf(page, 'payments')).list.width).toBeGreaterThan(1_400);
    await browser.close(page);
  });

  it('cuts a long reference in its middle, and has the whole at hand', async () => {
    const page = await browser.open(`${sandbox.url}/`, { reducedMotion: 'reduce', width: 320 });
    const { reference } = sandbox.payments().at(-4)!;
    const link = page.getByRole('link', { name: reference, exact: true });
    await link.waitFor();
    expect(await link.getAttribute('title')).toBe(reference);
    expect(await link.textContent()).toBe(reference);
    const place = `#rows-payments a[title="${reference}"]`;
    expect(await isCut(page, `${place} .start`)).toBe(true);
    expect(await isCut(page, `${place} .end`)).toBe(false);
    expect(await link.locator('.end').textContent()).toBe(reference.slice(-6));
    await link.click();
    await page.getByRole('heading', { name: reference, exact: true }).waitFor();
    await browser.close(page);
  });

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
