/* global document */
// `npm run pictures`: takes the README's pictures of the running demo: an animation of one payment, and two screenshots. It
// fails if one cuts off what the README speaks of, or weighs too much. With `--check` it writes nothing.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { buildWhatIsMissing } from './demo/build.mjs';
import { startPage } from './demo/serve-page.mjs';
import { startCheckout, startEmulator } from './demo/start.mjs';
import { animate } from './pictures/animate.mjs';
import { photograph, sideBySide } from './pictures/photograph.mjs';

const FOLDER = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const LOOK = { colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB' };
const LOOK_OF_A_PHONE = { ...LOOK, viewport: { width: 400, height: 600 }, deviceScaleFactor: 1.5 };
const STAGE = { width: 1_120, height: 700 };
const LEDGER = { width: 1_280, height: 1_000 };
const OTHERS = { gap: 24, quality: 80 };
/** Each picture, and the bytes that it may have. */
const PICTURES = {
  'payment.webp': { take: onePayment, most: 250_000 },
  'payment-in-detail.webp': { take: detail, most: 120_000 },
  'refused-and-limited.webp': { take: setbacks, most: 120_000 },
};

const running = [];
try {
  buildWhatIsMissing(['02-shop-checkout'], console.log);
  const folder = mkdtempSync(join(tmpdir(), 'payments-pictures-'));
  running.push(() => rmSync(folder, { recursive: true }));
  const stage = await startPage(0);
  running.push(stage.close);
  const emulator = await startEmulator(0, { frameAncestors: [stage.origin], seed: 7 });
  running.push(() => emulator.stop());
  const shop = await startCheckout(0, emulator, ['error', 'fatal'], { folder, framedBy: stage.origin });
  running.push(shop.close);
  stage.show({ shop: `${shop.url}/`, phone: `${emulator.url}/` });
  const executablePath = process.env.CHROMIUM_PATH ?? CHROMIUM.find((path) => existsSync(path));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  running.push(() => browser.close());
  for (const [name, { take, most }] of Object.entries(PICTURES)) {
    const picture = await take({ browser, stage: stage.origin, shop: shop.url, emulator });
    console.log(`docs/pictures/${name}: ${picture.length} bytes`);
    if (picture.length > most) throw new Error(`docs/pictures/${name} may have ${most} bytes.`);
    if (process.argv.includes('--check')) continue;
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, name), picture);
  }
} finally {
  for (const stop of running.reverse()) await stop();
}

/** From the catalogue to the thanks, on the demo's page. */
async function onePayment({ browser, stage }) {
  const page = await browser.newPage({ ...LOOK, viewport: STAGE });
  const shots = [];
  const shoot = async (ms, ...shows) => void shots.push({ png: await photograph(page, { shows }), ms });
  await page.goto(stage);
  const [shop, phone] = [page.frameLocator('#shop'), page.frameLocator('#phone')];
  await shop.locator('.product').last().waitFor();
  await phone.locator('#phone-empty').waitFor();
  await shoot(1_600, shop.locator('h1'), shop.locator('.product').first());
  await shop.locator('#pay').scrollIntoViewIfNeeded();
  await point(page, shop.locator('#pay'));
  await shoot(1_400, shop.locator('#pay'));
  await shop.locator('#pay').click();
  await shop.locator('#headline').filter({ hasText: 'Look at your phone' }).waitFor();
  const approve = phone.locator('.prompt [data-action=approve]');
  await approve.waitFor();
  await shoot(1_800, shop.locator('#verdict'), approve);
  await point(page, approve);
  await shoot(1_000, approve);
  await approve.click();
  await shop.locator('#headline').filter({ hasText: 'Paid' }).waitFor();
  await approve.waitFor({ state: 'detached' });
  await shoot(3_000, shop.locator('#verdict'));
  await page.close();
  return animate(browser, shots);
}

/** Draws the pointer, which a photograph does not show, on an element. */
async function point(page, element) {
  const { x, y, width, height } = await element.boundingBox();
  await page.evaluate(
    ([left, top]) => {
      const pointer = document.getElementById('pointer') ?? document.createElement('div');
      pointer.id = 'pointer';
      Object.assign(pointer.style, { position: 'fixed', zIndex: 9, left: `${left}px`, top: `${top}px` });
      Object.assign(pointer.style, { width: '22px', height: '28px', background: '#111' });
      pointer.style.clipPath = 'polygon(0 0, 0 82%, 26% 62%, 44% 100%, 60% 94%, 43% 57%, 78% 57%)';
      document.body.append(pointer);
    },
    [x + width * 0.6, y + height * 0.55],
  );
}

/** What the emulator knows about the payment of the animation. */
async function detail({ browser, emulator }) {
  const page = await browser.newPage({ ...LOOK, viewport: LEDGER, deviceScaleFactor: 1.5 });
  const [{ reference }] = emulator.payments();
  await page.goto(`${emulator.url}/#/payments/${reference}`);
  const webhook = page.locator('#one-payments').getByText('payment.success').first();
  await webhook.waitFor();
  const png = await photograph(page, { shows: [page.locator('#tab-payments'), webhook] });
  await page.close();
  return sideBySide(browser, [{ ...LEDGER, png }], OTHERS);
}

/** How the shop tells its customer, in English and in Swahili. */
async function setbacks({ browser, shop }) {
  const pictures = [];
  for (const [phone, change] of [
    ['0712340004', {}],
    ['0712340429', { locale: 'sw-TZ', colorScheme: 'dark' }],
  ]) {
    const page = await browser.newPage({ ...LOOK_OF_A_PHONE, ...change });
    await page.goto(`${shop}/?phone=${phone}`);
    await page.locator('.product').last().waitFor();
    await page.locator('#pay').click();
    await page.locator('#order[data-tone=bad] #pay').waitFor();
    const shows = ['#verdict', '#words', '#order #pay'].map((selector) => page.locator(selector));
    pictures.push({ ...LOOK_OF_A_PHONE.viewport, png: await photograph(page, { shows }) });
    await page.close();
  }
  return sideBySide(browser, pictures, OTHERS);
}
