import { beforeEach, describe, expect, it } from 'vitest';
import { csvStatement, type DayClose } from 'nestjs-payments/reconciliation';
import { controlOf } from '../../support/control-caller.js';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

describe('money that is no payment', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  const closeToday = async (change: (csv: string) => string = (csv) => csv): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    return shop.reconciliation.close({ day, statement: place.statement(day, change), ...BY });
  };
  const putBalance = async (available: string): Promise<void> => {
    await controlOf(place.sandbox).put('/balance', { available });
  };

  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.startWithWebhooks();
    await closeToday();
    await place.pass(9 * HOUR);
  });

  it('moved with its fee', async () => {
    await putBalance('90000000');
    const close = await closeToday((csv) => csv.replace(',-10000000.00,,', ',-9999990.00,10.00,'));
    expect(close.exceptions).toEqual([]);
    expect(close.summary.balance).toMatchObject({ other: '-10000000.00', difference: '0.00' });
    expect(close.summary.statement).toMatchObject({ other: '-10000000.00' });
  });

  it('may be a fee that its payment has already', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    const close = await closeToday((csv) => {
      const [date] = /^[^,]*(?=,Collection)/m.exec(csv) ?? [];
      return `${csv.trimEnd()}\n${date},Fee,order-1,,1000.00,,,TZS,Success\n`;
    });
    expect(close.exceptions).toEqual([]);
    expect(close.summary.balance).toMatchObject({ fees: '1000.00', least: '-1000.00', difference: '0.00' });
    expect(close.summary.statement).toMatchObject({ other: '0.00', doubtfulFees: '-1000.00' });
  });

  it('is a fee with a reference of its own for certain', async () => {
    await putBalance('99993000');
    const close = await closeToday((csv) =>
      csv.replace(/^([^,]*),(?!Type)[^,]*,[^,]*,([^,]*),-7000\.00,/m, '$1,Fee,CHG-2026-11,$2,7000.00,'),
    );
    expect(close.exceptions).toEqual([]);
    expect(close.summary.balance).toMatchObject({ other: '-7000.00', least: '0.00', difference: '0.00' });
    expect(close.summary.statement).toMatchObject({ other: '-7000.00' });
    expect(close.summary.statement).not.toHaveProperty('doubtfulFees');
  });

  it('may be a fee that its payment of an earlier day has already', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await closeToday();
    await place.pass(9 * HOUR);
    await collected(shop, place.sandbox, 'order-2', '1000');
    const close = await closeToday((csv) => {
      const [date] = /^[^,]*(?=,Collection)/m.exec(csv) ?? [];
      return `${csv.trimEnd()}\n${date},Fee,order-1,,1000.00,,,TZS,Success\n`;
    });
    expect(close.exceptions).toEqual([]);
    expect(close.summary.balance).toMatchObject({ least: '-1000.00', difference: '0.00' });
    expect(close.summary.statement).toMatchObject({ other: '0.00', doubtfulFees: '-1000.00' });
  });

  it('may have moved after the end of the day, and before the balance was read', async () => {
    const day = place.today();
    await collected(shop, place.sandbox, 'order-1', '50000');
    await place.nextDay(3);
    await putBalance('90000000');
    await place.pass(HOUR);
    const stream = place.sandbox.statement({ from: new Date(place.sandbox.clock.now() - 20 * HOUR) });
    const statement = csvStatement({ stream, name: 'late.csv' });
    const close = await shop.reconciliation.close({ day, statement, ...BY });
    expect(close.exceptions).toEqual([]);
    expect(close.summary.balance).toMatchObject({ other: '-10049000.00', difference: '0.00' });
    expect(close.summary.statement).toMatchObject({ other: '0.00', rows: 2, otherDays: 1 });
    // The next day opens with it.
    const next = await closeToday();
    expect(next.exceptions).toEqual([]);
    expect(next.summary.balance).toMatchObject({ other: '0.00', difference: '0.00' });
  });
});
