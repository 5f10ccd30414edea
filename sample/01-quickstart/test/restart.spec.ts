import { isBuiltin } from 'node:module';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PaymentsJournal } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { closeInRecovery } from '../../../test/support/close-in-recovery.js';
import { RecoveryService } from '../src/orders/recovery.service.js';
import { ShopClient } from './shop.client.js';
import { type StartedShop, startShop } from './start-shop.js';

let sandbox: PaymentsSandbox;
let shop: StartedShop;

beforeEach(async () => {
  sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
  shop = await startShop(sandbox);
});

afterEach(async () => {
  await shop.stop();
  await sandbox.stop();
});

const paymentOf = (reference: string) => shop.app.get(PaymentsJournal).get('collection', reference);

it('a restart of the shop keeps its payments where Node.js has SQLite, and memory forgets them elsewhere', async () => {
  const { body } = await new ShopClient(shop.url).buy();
  const reference = body['reference']!;
  await sandbox.customer('255712345678').approve(reference);
  const paid = await paymentOf(reference);
  expect(paid).toMatchObject({ reference, state: 'settled' });

  shop = await shop.restart();
  expect(await paymentOf(reference)).toEqual(isBuiltin('node:sqlite') ? paid : undefined);
  expect(existsSync(join(process.env['SHOP_DATA']!, 'payments.db'))).toBe(isBuiltin('node:sqlite'));
});

it('the shutdown ends a run of the recovery, which asks about no further order', async () => {
  await new ShopClient(shop.url).buy();
  const [journal, recovery] = [shop.app.get(PaymentsJournal), shop.app.get(RecoveryService)];
  const get = vi.spyOn(journal, 'get');
  await closeInRecovery({
    app: shop.app,
    journal,
    provider: journal,
    begin: () => {
      // The run at the boot may have asked.
      get.mockClear();
      recovery.onApplicationBootstrap();
    },
  });
  expect(get).not.toHaveBeenCalled();
  shop = await shop.restart();
});
