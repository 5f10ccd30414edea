import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { createShop } from '../src/shop.js';

export const OFFICE_PASSWORD = 'open-sesame';

export interface StartedShop {
  readonly app: NestExpressApplication;
  readonly url: string;
  /** Closes the shop. It starts again with what it has stored. */
  restart(): Promise<StartedShop>;
  /** Closes the shop and removes what it has stored. */
  stop(): Promise<void>;
}

/**
 * Starts the shop beside an emulator. What it stores is in a folder of its own.
 *
 * @param environment Variables that differ.
 */
export async function startShop(
  sandbox: PaymentsSandbox,
  environment: Record<string, string> = {},
): Promise<StartedShop> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-quickstart-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true });
  };
  Object.assign(process.env, {
    PAYMENTS_BASE_URL: sandbox.baseUrl,
    PAYMENTS_API_KEY: 'pk_test_demo',
    PAYMENTS_API_SECRET: 'sk_test_demo',
    PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    SHOP_DATA: folder,
    OFFICE_PASSWORD,
    ...environment,
  });
  return started(sandbox, remove);
}

async function started(sandbox: PaymentsSandbox, remove: () => void): Promise<StartedShop> {
  const app = await createShop({ logger: false });
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  sandbox.deliverTo(`${url}/webhooks/payments`);
  return {
    app,
    url,
    restart: async () => {
      await app.close();
      return started(sandbox, remove);
    },
    stop: async () => {
      await app.close();
      remove();
    },
  };
}
