// Starts the emulator and a shop in this process, wired to each other.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist, sampleFolder } from './build.mjs';

const HOST = '127.0.0.1';

/** Starts the emulator. The caller stops it. */
export async function startEmulator(port, options = {}) {
  const { PaymentsSandbox } = await import(pathToFileURL(join(dist, 'esm', 'sandbox', 'index.js')).href);
  return PaymentsSandbox.start({ port, ...options });
}

/** Opens an address in the person's browser, where there is one. */
export async function openBrowser(address) {
  const file = join(dist, 'modules', 'cli', 'sandbox', 'open-browser.js');
  const { openBrowser: open } = await import(pathToFileURL(file).href);
  return open(address, process.env);
}

/**
 * Starts a sample's shop, configured by environment variables. The caller closes it.
 *
 * @param settings Environment variables of the sample.
 */
export async function startShop(name, port, emulator, logger, settings) {
  const { baseUrl, apiKey, apiSecret, webhooks } = emulator.moduleOptions();
  Object.assign(process.env, {
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_SECRET: apiSecret,
    PAYMENTS_WEBHOOK_SECRET: webhooks.secrets.join(','),
    SANDBOX_PAGE: `${emulator.url}/`,
    ...settings,
  });
  const { createShop } = await import(pathToFileURL(join(sampleFolder(name), 'dist', 'shop.js')).href);
  const app = await createShop({ logger, abortOnError: false });
  await app.listen(port, HOST);
  const url = `http://${HOST}:${app.getHttpServer().address().port}`;
  emulator.deliverTo(`${url}/webhooks/payments`);
  return { app, url, close: () => app.close() };
}

/** The shop of the checkout sample, whose orders are in a folder. */
export function startCheckout(port, emulator, logger, { folder, framedBy = '' }) {
  const settings = { DATABASE_URL: '', DATABASE_DIR: folder, FRAMED_BY: framedBy };
  return startShop('02-shop-checkout', port, emulator, logger, settings);
}

/** The shop of the quickstart sample, whose file is in a folder, with a password of its own for its office. */
export async function startQuickstart(port, emulator, logger, { folder }) {
  const officePassword = randomUUID();
  const settings = { SHOP_DATA: folder, OFFICE_PASSWORD: officePassword };
  return { ...(await startShop('01-quickstart', port, emulator, logger, settings)), officePassword };
}

/** Whether nothing listens on a port yet. */
export async function isFree(port) {
  const probe = createServer().listen(port, HOST);
  try {
    await once(probe, 'listening');
    return true;
  } catch (error) {
    if (error.code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    probe.close();
  }
}
