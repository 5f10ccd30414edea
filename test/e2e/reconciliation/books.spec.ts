import { beforeEach, describe, expect, it } from 'vitest';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

describe('the books of several days', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  /** A day on which a customer pays. */
  const dayWith = async (reference: string, amount: string): Promise<string> => {
    await place.pass(9 * HOUR);
    await collected(shop, place.sandbox, reference, amount);
    const day = place.today();
    await place.nextDay(0);
    return day;
  };
  /** What a close books on the account of the wallet. */
  const booked = async (day: string): Promise<number> => {
    const lines = (await shop.reconciliation.close({ day, ...BY })).report({ format: 'journal' }).split('\n');
    const amounts = lines.map((line) => line.split(',')).filter((cells) => cells[2]?.endsWith(':Wallet'));
    return amounts.reduce((sum, [, , , debit, credit]) => sum + Number(debit) - Number(credit), 0);
  };

  beforeEach(async () => {
    await place.nextDay(0);
    shop = await place.startWithWebhooks();
  });

  it('have everything once, also if two days end with the same reading', async () => {
    const first = await dayWith('order-1', '1000');
    expect(await booked(first)).toBe(980);
    const second = await dayWith('order-2', '20000');
    const third = await dayWith('order-3', '300000');
    expect([await booked(second), await booked(third)]).toEqual([313_600, 0]);
    const fourth = await dayWith('order-4', '4000000');
    expect(await booked(fourth)).toBe(3_920_000);
  });

  it('have a fee once that a statement has beside its payment, and in a row that names the payment', async () => {
    const first = await dayWith('order-1', '50000');
    const statement = place.statement(first, (csv) => {
      const [date] = /^[^,]*(?=,Collection)/m.exec(csv) ?? [];
      return `${csv}${date},Fee,order-1,,1000.00,,,TZS,Success\n${date},Fee,,,30.00,,,TZS,Success\n`;
    });
    const close = await shop.reconciliation.close({ day: first, statement, ...BY });
    expect(close.report({ format: 'journal' }).split('\n').slice(1)).toEqual([
      `${first},${first}-collections,Assets:Payments:Wallet,49000.00,,Collections`,
      `${first},${first}-collections,Expenses:Payments:Fees,1000.00,,Collections`,
      `${first},${first}-collections,Assets:Payments:Collections,,50000.00,Collections`,
      `${first},${first}-other,Assets:Payments:Wallet,,30.00,Other than payments`,
      `${first},${first}-other,Assets:Payments:Other,30.00,,Other than payments`,
      '',
    ]);
    expect(close.summary.statement).toMatchObject({ other: '-30.00', doubtfulFees: '-1000.00' });
    expect(close.report({ format: 'table' })).toContain(
      'Fees that name a payment, and may be in its row already: -1,000.00.',
    );
    expect(close.exceptions).toEqual([]);
  });

  it('have a fee with a reference of its own', async () => {
    const first = await dayWith('order-1', '50000');
    const statement = place.statement(first, (csv) => {
      const [date] = /^[^,]*(?=,Collection)/m.exec(csv) ?? [];
      return `${csv}${date},Fee,CHG-2026-11,,7000.00,,,TZS,Success\n`;
    });
    const close = await shop.reconciliation.close({ day: first, statement, ...BY });
    expect(close.report({ format: 'journal' }).split('\n').slice(4)).toEqual([
      `${first},${first}-other,Assets:Payments:Wallet,,7000.00,Other than payments`,
      `${first},${first}-other,Assets:Payments:Other,7000.00,,Other than payments`,
      '',
    ]);
    expect(close.summary.statement).toMatchObject({ other: '-7000.00' });
    expect(close.summary.statement).not.toHaveProperty('doubtfulFees');
    expect(close.exceptions).toEqual([]);
  });

  it('leave out a fee of a payment that had ended before the first day', async () => {
    await dayWith('order-1', '50000');
    const second = await dayWith('order-2', '1000');
    const statement = place.statement(second, (csv) => {
      const [date] = /^[^,]*(?=,Collection)/m.exec(csv) ?? [];
      return `${csv}${date},Fee,order-1,,1000.00,,,TZS,Success\n`;
    });
    const { summary } = await shop.reconciliation.close({ day: second, statement, ...BY });
    expect(summary.statement).toMatchObject({ other: '0.00', doubtfulFees: '-1000.00' });
  });

  it('have what is known of the days before the first balance', async () => {
    const first = await dayWith('order-1', '1000');
    const second = await dayWith('order-2', '20000');
    expect([await booked(first), await booked(second)]).toEqual([980, 19_600]);
    expect(await booked(await dayWith('order-3', '300000'))).toBe(294_000);
  });
});
