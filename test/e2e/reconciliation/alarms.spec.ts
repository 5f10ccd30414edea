import { TerminusModule } from '@nestjs/terminus';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observeReconciliation } from 'nestjs-payments/opentelemetry';
import { PaymentsHealthIndicator } from 'nestjs-payments/terminus';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, type ReconciliationApp } from '../../support/reconciliation-place.js';
import { Telemetry } from '../../support/telemetry.js';

const BY = { by: 'accountant' };
const EXCEPTIONS = 'payments.reconciliation.exceptions';

describe('alarms of closes', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;
  let telemetry: Telemetry;

  beforeEach(async () => {
    telemetry = new Telemetry();
    shop = await place.startWithWebhooks({
      imports: [TerminusModule],
      providers: [PaymentsHealthIndicator],
    });
    await place.nextDay(8);
  });
  afterEach(() => telemetry.stop());

  /** Closes a day on whose statement a payment is missing. */
  const closeWithout = async (reference: string): Promise<string> => {
    const day = place.today();
    await collected(shop, place.sandbox, reference, '50000');
    await place.nextDay(1);
    const statement = place.statement(day, (csv) =>
      csv.replace(new RegExp(`^.*,${reference},.*\n`, 'm'), ''),
    );
    await shop.reconciliation.close({ day, statement, ...BY });
    return day;
  };

  it('are up while days are closed in time', async () => {
    const indicator = shop.app.get(PaymentsHealthIndicator);
    const check = (): Promise<unknown> =>
      indicator.isClosed('close', shop.reconciliation, { olderThanMs: 36 * HOUR });
    expect(await check()).toEqual({
      close: { status: 'down', message: 'No day was closed: see Reconciliation.close().' },
    });
    const lastDay = await closeWithout('order-1');
    expect(await check()).toMatchObject({ close: { status: 'up', lastDay, open: { 'missing-there': 1 } } });
    await place.pass(36 * HOUR);
    expect(await check()).toMatchObject({ close: { status: 'down', lastDay } });
  });

  it('are down if the account is misspelled', async () => {
    await closeWithout('order-1');
    const options = { olderThanMs: 36 * HOUR, acount: 'shop' };
    const health = await shop.app
      .get(PaymentsHealthIndicator)
      .isClosed('close', shop.reconciliation, options);
    expect(health.close).toMatchObject({
      status: 'down',
      message: expect.stringContaining('did you mean `account`?') as string,
    });
  });

  it('count open exceptions by kind, and fall to 0', async () => {
    const stop = observeReconciliation(shop.reconciliation, { meterProvider: telemetry.meterProvider });
    expect(await telemetry.measured(EXCEPTIONS)).toEqual([]);
    await closeWithout('order-1');
    const labels = { 'payments.account': 'default', 'payments.exception.kind': 'missing-there' };
    expect(await telemetry.measured(EXCEPTIONS)).toEqual([
      { metric: EXCEPTIONS, attributes: labels, value: 1 },
    ]);
    for await (const { id } of shop.reconciliation.exceptions()) {
      await shop.reconciliation.explain(id, { note: 'on paper', ...BY });
    }
    expect(await telemetry.measured(EXCEPTIONS)).toEqual([
      { metric: EXCEPTIONS, attributes: labels, value: 0 },
    ]);
    stop();
  });
});
