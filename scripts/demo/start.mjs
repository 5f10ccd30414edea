// Starts the emulator and the shop in this process, wired to each other.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist, sample } from './build.mjs';

const HOST = '127.0.0.1';

/** Starts the emulator. The caller stops it. */
export async function startEmulator(port) {
  const { PaymentsSandbox } = await import(pathToFileURL(join(dist, 'esm', 'sandbox', 'index.js')).href);
  return PaymentsSandbox.start({ port });
}

/** Starts the shop, configured by environment variables. The caller closes it. */
export async function startShop(port, emulator, logger) {
  const { baseUrl, apiKey, apiSecret, webhooks } = emulator.moduleOptions();
  Object.assign(process.env, {
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_SECRET: apiSecret,
    PAYMENTS_WEBHOOK_SECRET: webhooks.secrets.join(','),
    SANDBOX_PAGE: `${emulator.url}/`,
  });
  const { createShop } = await import(pathToFileURL(join(sample, 'dist', 'shop.js')).href);
  const shop = await createShop({ logger, abortOnError: false });
  await shop.listen(port, HOST);
  const url = `http://${HOST}:${shop.getHttpServer().address().port}`;
  emulator.deliverTo(`${url}/webhooks/payments`);
  return { url, close: () => shop.close() };
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
