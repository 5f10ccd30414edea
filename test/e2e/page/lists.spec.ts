import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Page } from 'playwright-core';
import {
  complaintsOf,
  describeWithBrowser,
  forgiveComplaint,
  type PageOptions,
} from '../../support/browser.js';
import { sandboxPage } from '../../support/sandbox-page.js';
import { type SandboxStage, setSandboxStage } from '../../support/sandbox-stage.js';

const ROWS = 50;
const SLOW_MS = 60_000;

describeWithBrowser("the lists of the emulator's page", (browser) => {
  let stage: SandboxStage;
  let page: Page;
  let ui: ReturnType<typeof sandboxPage>;

  beforeEach(async () => {
    stage = await setSandboxStage();
  });
  afterEach(async () => {
    const complaints = complaintsOf(page);
    await browser.close(page);
    await stage.close();
    expect(complaints).toEqual([]);
  });

  const open = async (hash = '', options: PageOptions = {}) => {
    page = await browser.open(`${stage.sandbox.url}/${hash}`, options);
    ui = sandboxPage(page);
    await ui.live();
  };
  const rows = (view: string) => page.locator(`#rows-${view} tr`);
  const rowCount = async (view: string, count: number) => {
    await rows(view)
      .nth(count - 1)
      .waitFor();
    await rows(view).nth(count).waitFor({ state: 'detached' });
  };
  const focused = () => page.evaluate("document.activeElement.closest('tr, .prompt')?.dataset.key");
  const collect = async (count: number, prefix = 'order') => {
    for (let number = 1; number <= count; number += 1) {
      await stage.gateway.collect({ reference: `${prefix}-${String(number).padStart(3, '0')}` });
    }
  };

  it('finds payments by text, status, merchant and failure', async () => {
    await collect(4);
    await stage.gateway.collect({ reference: 'elsewhere' }, { merchant: 'other' });
    await stage.gateway.payToPhone();
    await stage.sandbox.customer('255712345678').approve('order-001');
    await stage.sandbox.customer('255712345678').decline('order-002');
    await open();
    await rowCount('payments', 5);

    await page.keyboard.press('/');
    await page.keyboard.type('ORDER-00');
    await rowCount('payments', 4);
    await page.locator('#filter-status').selectOption('success');
    await rowCount('payments', 1);
    await ui.rowSays('payments', 'order-001', 'success');
    await page.locator('#filter-status').selectOption('');
    await page.locator('#filter-failed').check();
    await ui.rowSays('payments', 'order-002', 'failed');
    await rowCount('payments', 1);
    await page.locator('#filter-failed').uncheck();
    await page.locator('#search').fill('');
    await page.locator('#filter-merchant').selectOption('other');
    await rowCount('payments', 1);
    await ui.rowSays('payments', 'elsewhere');
    await page.locator('#search').fill('nobody');
    await page.locator('#list-payments').getByText('Nothing fits the filters.').waitFor();
    expect(await page.locator('#count-payments').textContent()).toBe('5');

    await ui.turnTo('payouts');
    expect(await page.locator('#search').inputValue()).toBe('');
    await ui.turnTo('payments');
    expect(await page.locator('#search').inputValue()).toBe('nobody');
  });

  it.each([
    ['payouts', 'salary', 'paid'],
    ['webhooks', 'a-second', 'delivered'],
    ['requests', 'TWO@EXAMPLE', '409'],
  ] as const)('finds %s by text and status', async (view, words, status) => {
    const { gateway, sandbox } = stage;
    await gateway.collect({ reference: 'first' });
    await gateway.collect({ reference: 'a-second', customer_email: 'two@example.com' });
    await gateway.collect({ reference: 'a-second', customer_email: 'two@example.com' });
    for (const reference of ['first', 'a-second']) await sandbox.customer('255712345678').approve(reference);
    await gateway.payToBank();
    await gateway.payToBank({ reference: 'salary-2' });
    await gateway.payToPhone();
    await sandbox.payout('salary-2').pay();
    await open(`#/${view}`);
    await rows(view).nth(1).waitFor();
    const all = await rows(view).count();
    await page.locator('#search').fill(words);
    await rowCount(view, view === 'webhooks' ? 1 : 2);
    expect(all).toBeGreaterThan(await rows(view).count());
    await page.locator('#filter-status').selectOption(status);
    await rowCount(view, 1);
  });

  it('finds wallets, faults, and banks in either spelling of their code', async () => {
    for (const merchant of ['demo', 'other']) await stage.gateway.get('/merchant-balance', { merchant });
    stage.sandbox.next('GET /merchant-balance').status(503);
    stage.sandbox.next('POST /disbursements/bank').hang();
    await open('#/balance');
    await rowCount('balance', 2);
    await page.locator('#search').fill('OTH');
    await rowCount('balance', 1);
    await ui.turnTo('faults');
    await rowCount('faults', 2);
    await page.locator('#search').fill('bank');
    await rowCount('faults', 1);
    await ui.turnTo('banks');
    const banks = page.locator('#rows-banks tr:visible');
    await banks.nth(36).waitFor();
    for (const words of ['savings', 'BSB', 'baobab_s']) {
      await page.locator('#search').fill(words);
      await banks.nth(1).waitFor({ state: 'detached' });
      expect(await banks.textContent()).toContain('Baobab Savings Bank');
    }
    await page.locator('#search').fill('nobody');
    await page.locator('#panel-banks .empty:visible').waitFor();
  });

  it('finds banks, account holders, wallets and faults by the texts of their rows, and by no others', async () => {
    await stage.gateway.get('/merchant-balance');
    stage.sandbox.next('GET /merchant-balance').status(503);
    stage.sandbox.directory.close('0150000001');
    await open('#/banks');
    const banks = page.locator('#rows-banks tr:visible');
    const holders = page.locator('#rows-directory tr:visible');
    await banks.nth(36).waitFor();
    await page.locator('#search').fill('BSB · baobab_s');
    await banks.nth(1).waitFor({ state: 'detached' });
    expect(await banks.textContent()).toContain('Baobab Savings Bank');
    await page.locator('#search').fill('does not');
    await holders.getByText('does not exist').waitFor();
    await page.locator('#language').selectOption('sw');
    await page.locator('#search').fill('haipo');
    await holders.getByText('haipo').waitFor();
    await page.locator('#language').selectOption('en');
    await page.locator('#search').fill('null');
    await holders.first().waitFor({ state: 'detached' });
    await banks.first().waitFor({ state: 'detached' });
    for (const [view, shown] of [
      ['balance', 'TZS'],
      ['faults', 'a status 503'],
    ] as const) {
      await ui.turnTo(view);
      await rowCount(view, 1);
      await page.locator('#search').fill(shown);
      await rowCount(view, 1);
      await page.locator('#search').fill('null');
      await rows(view).first().waitFor({ state: 'detached' });
    }
  });

  it('keeps the search in use when its list is emptied', async () => {
    await stage.gateway.collect();
    await open();
    await rowCount('payments', 1);
    await page.locator('#search').focus();
    await stage.sandbox.reset();
    await page.locator('#empty-payments:visible').waitFor();
    await page.keyboard.type('jk/');
    expect(await page.locator('#search').inputValue()).toBe('jk/');
    await page.locator('#search').blur();
    await stage.gateway.collect({ reference: 'other' });
    await page.locator('#list-payments .nothing:visible').waitFor();
    await stage.sandbox.reset();
    await page.locator('#empty-payments:visible').waitFor();
    expect(await page.locator('#search').isVisible()).toBe(true);
  });

  it('has no search where there is nothing to find', async () => {
    await open();
    await page.locator('#first-run').waitFor();
    expect(await page.locator('#filters').isVisible()).toBe(false);
    await stage.gateway.collect();
    await page.locator('#filters').waitFor();
  });

  it(
    'draws one page of a long list, and leads to the oldest item and back',
    async () => {
      await collect(120);
      await open();
      await rowCount('payments', ROWS);
      const pager = page.locator('#list-payments .pager');
      const shows = async (words: string, first: string) => {
        await pager.getByText(words).waitFor();
        expect(await rows('payments').first().textContent()).toContain(first);
      };
      await shows('1 to 50 of 120', 'order-120');
      await pager.getByRole('button', { name: 'Older' }).click();
      await shows('51 to 100 of 120', 'order-070');
      await pager.getByRole('button', { name: 'Older' }).click();
      await shows('101 to 120 of 120', 'order-020');
      expect(await pager.getByRole('button', { name: 'Older' }).getAttribute('aria-disabled')).toBe('true');
      await pager.getByRole('button', { name: 'Newest' }).click();
      await shows('1 to 50 of 120', 'order-120');
      await pager.getByRole('button', { name: 'Oldest' }).click();
      await shows('71 to 120 of 120', 'order-050');
      await pager.getByRole('button', { name: 'Newer' }).click();
      await shows('21 to 70 of 120', 'order-100');

      // The newest item comes while an older page is in view: the page stays where it is.
      await stage.gateway.collect({ reference: 'the-newest' });
      await shows('22 to 71 of 121', 'order-100');
      await stage.sandbox.reset();
      await page.getByText('No payments yet.').waitFor();
      forgiveComplaint(page, '400');
    },
    SLOW_MS,
  );

  it(
    'reads little while much happens',
    async () => {
      await open();
      const answers: Promise<{ items?: unknown[] }>[] = [];
      page.on('response', (response) => {
        if (response.url().includes('/payments?'))
          answers.push(response.json() as Promise<{ items?: unknown[] }>);
      });
      const started = performance.now();
      await collect(400, 'many');
      await page.locator('#count-payments', { hasText: '400' }).waitFor();
      const seconds = (performance.now() - started) / 1_000;
      // Each second at most four times, of which each reads the list and what waits.
      expect(answers.length).toBeLessThan(8 * seconds + 6);
      for (const { items = [] } of await Promise.all(answers)) expect(items.length).toBeLessThanOrEqual(ROWS);
      expect(await rows('payments').count()).toBe(ROWS);
      expect(await ui.cards.count()).toBe(20);
      page.removeAllListeners('response');
    },
    SLOW_MS,
  );

  it('moves through the list with j and k, and through records that are open', async () => {
    await collect(3);
    await open();
    await rowCount('payments', 3);
    const key = (number: number) => JSON.stringify(['demo', `order-00${number}`]);
    await page.keyboard.press('j');
    expect(await focused()).toBe(key(3));
    await page.keyboard.press('j');
    expect(await focused()).toBe(key(2));
    await page.keyboard.press('k');
    expect(await focused()).toBe(key(3));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'order-003' }).waitFor();
    await page.locator('#one-payments h3:focus').waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'order-002' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/payments/order-002');
    expect(await page.locator('#rows-payments [aria-current=true]').textContent()).toBe('order-002');

    // In a field they are letters.
    await page.locator('#search').fill('');
    await page.locator('#search').pressSequentially('jk/');
    expect(await page.locator('#search').inputValue()).toBe('jk/');
    await ui.cards.first().focus();
    await page.keyboard.press('j');
    expect(await focused()).toBe(key(2));
  });

  it(
    'reaches the tabs in a few steps, however many payments wait',
    async () => {
      await collect(200);
      await open();
      await ui.cards.first().waitFor();
      await page.locator('#waiting', { hasText: '200 waiting' }).waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.id')).toBe('skip');
      await page.keyboard.press('Enter');
      await page.locator('#tab-payments:focus').waitFor();
      expect(new URL(page.url()).hash).toBe('');

      // The cards scroll in the phone: they make no other view longer than what it shows.
      await ui.turnTo('clock');
      const below =
        '() => document.documentElement.scrollHeight - document.querySelector("main").getBoundingClientRect().bottom - scrollY';
      expect(await page.evaluate(`(${below})()`)).toBeLessThan(100);
      await ui.turnTo('payments');

      await page.evaluate('document.activeElement.blur()');
      await page.reload();
      await ui.cards.first().waitFor();
      let steps = 0;
      while ((await page.evaluate('document.activeElement.id')) !== 'tab-payments') {
        await page.keyboard.press('Tab');
        steps += 1;
        expect(steps).toBeLessThan(9);
      }

      for (const [width, height] of [
        [320, 700],
        [390, 844],
        [768, 900],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.evaluate('scrollTo(0, 0)');
        const { bottom } = await page.evaluate<{ bottom: number }>(
          "document.querySelector('#rows-payments tr').getBoundingClientRect().toJSON()",
        );
        expect([width, bottom < height]).toEqual([width, true]);
      }
    },
    SLOW_MS,
  );

  it('shows a failing webhook in red at once, with its next try', async () => {
    stage.receiver.answerWith(500, 200);
    await stage.gateway.collect();
    await open();
    await stage.sandbox.customer('255712345678').approve('order-1');
    const failing = page.locator('#rows-payments [data-status=failing]:visible');
    await failing.waitFor();
    const colour = "getComputedStyle(document.querySelector('#rows-payments [data-status=failing]')).color";
    expect(await page.evaluate(colour)).toBe('rgb(160, 44, 37)');
    const next = stage.sandbox.deliveries()[0]!.next_attempt_at!;
    await page.locator(`#rows-payments .next:visible time[datetime="${next}"]`).waitFor();
    await ui.turnTo('webhooks');
    await ui.rowSays('webhooks', 'payment.success', 'failing', 'Next try');
    await stage.sandbox.clock.advance('5s');
    await ui.rowSays('webhooks', 'payment.success', 'delivered');
    expect(await page.locator('#rows-webhooks [data-status=failing]').count()).toBe(0);
  });

  it('shows the date of a time of another day', async () => {
    await stage.gateway.collect({ reference: 'yesterday' });
    await stage.sandbox.clock.advance('30h');
    await stage.gateway.collect({ reference: 'today' });
    await open();
    const timeOf = async (reference: string) =>
      (await ui.row('payments', reference).locator('time:visible').textContent()) ?? '';
    await rowCount('payments', 2);
    expect(await timeOf('today')).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await timeOf('yesterday')).toMatch(/^(1 Jan|Jan 1), \d\d:\d\d:\d\d$/);
    await stage.sandbox.clock.advance('400d');
    await page.locator('#rows-payments time:visible', { hasText: '2026,' }).first().waitFor();
  });

  it('speaks Swahili where it used to speak English', async () => {
    stage.receiver.answerWith(500);
    await stage.gateway.collect({ reference: 'order-1', phone: '255712340002' });
    await stage.sandbox.customer('255712340002').approve('order-1');
    await open();
    await page.locator('#language').selectOption('sw');
    await ui.turnTo('requests');
    await ui.rowSays('requests', 'order-1', 'namba inaishia na 0002');
    await stage.gateway.collect({ reference: 'order-429', phone: '255712340429' });
    await rows('requests').filter({ hasText: 'order-429' }).getByRole('link').click();
    await page.locator('#one-requests dd', { hasText: 'hali ya HTTP' }).waitFor();
    await ui.turnTo('payments');
    await page.getByRole('link', { name: 'order-1' }).click();
    const story = page.locator('.timeline li');
    await story.filter({ hasText: 'imefanikiwa · TZS 15,000' }).waitFor();
    await story
      .filter({ hasText: 'Jaribio la 1' })
      .filter({ hasText: 'imejibiwa 500 badala ya 200' })
      .waitFor();

    await stage.gateway.collect({ reference: randomUUID() });
    await ui.cards.first().waitFor();
    await page.route('**/approve', (route) => route.abort());
    await page.getByRole('button', { name: /^Thibitisha/ }).click();
    await page.locator('.prompt .problem', { hasText: 'Mazingira ya majaribio hayajibu.' }).waitFor();
    forgiveComplaint(page, 'ERR_FAILED');
  });
});
