import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { inProcess } from 'nestjs-payments/batches';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { paidOut } from '../../support/reconciliation-place.js';
import {
  SHOP,
  startTurningApp,
  type TurningApp,
  type TwoEnvironments,
  twoEnvironments,
} from '../../support/two-environments.js';

const BY = { by: 'accountant', account: SHOP };

const place = reconciliationOfSpecs();
let gateway: TwoEnvironments;
let shop: TurningApp;
/** Runs when the next exceptions are read: the account is open then. */
let onRead: (() => void) | undefined;

beforeEach(async () => {
  gateway = await twoEnvironments(place.sandbox);
  const { reconciliation } = place.storage;
  if (!reconciliation) throw new Error('PostgreSQL keeps closes.');
  const watched = Object.assign(Object.create(reconciliation) as typeof reconciliation, {
    list: (...args: Parameters<typeof reconciliation.list>) => {
      onRead?.();
      onRead = undefined;
      return reconciliation.list(...args);
    },
  });
  const storage: PaymentsStorage = { ...place.storage, reconciliation: watched };
  shop = await startTurningApp(gateway, storage, { engine: inProcess() });
});
afterEach(async () => {
  await shop.app.close();
  await gateway.close();
});

it('a statement of the sandbox settles no payment of production when live keys come meanwhile', async () => {
  await place.nextDay(8);
  await paidOut(shop.accounts.for(SHOP), 'supplier-1', '20000');
  await place.sandbox.payout('supplier-1').pay();
  const day = place.today();
  await place.nextDay(0);
  const { proposals } = await shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
  expect(proposals).toMatchObject([{ reference: 'supplier-1', outcome: 'paid' }]);
  shop.turn('production');
  await paidOut(shop.accounts.for(SHOP), 'supplier-1', '20000');
  const stateOf = async (): Promise<unknown> =>
    (await shop.accounts.for(SHOP).journal.get('disbursement', 'supplier-1'))?.state;

  shop.turn('sandbox');
  onRead = () => {
    shop.turn('production');
  };
  await expect(shop.reconciliation.apply(proposals, BY)).rejects.toMatchObject({
    name: 'PaymentsAccountError',
    code: 'ACCOUNT_UNAVAILABLE',
    retryable: true,
  });
  expect(await stateOf()).toBe('accepted');

  shop.turn('sandbox');
  expect(await stateOf()).toBe('accepted');
  expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
  expect(await stateOf()).toBe('settled');
  shop.turn('production');
  expect(await stateOf()).toBe('accepted');
});
