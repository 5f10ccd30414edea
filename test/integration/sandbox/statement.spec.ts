import { beforeEach, describe, expect, it } from 'vitest';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { controlOf, type ControlErrorBody } from '../../support/control-caller.js';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';

const HEAD = 'Date,Type,Reference,Provider Reference,Amount,Fee,Recipient,Currency,Status\n';

describe('a statement of the emulator', () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;
  let control: ReturnType<typeof controlOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 3 });
    gateway = callerOf(sandbox);
    control = controlOf(sandbox);
  });

  /** A day with something of each kind, one an hour from 09:00 UTC on. */
  async function day(): Promise<void> {
    await gateway.payToBank();
    await gateway.payToPhone();
    for (const reference of ['order-1', 'order-2', 'order-3']) await gateway.collect({ reference });
    await sandbox.customer(COLLECTION.phone).decline('order-2');
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    await sandbox.clock.advance('1h');
    await sandbox.payout('refund-1').fail();
    await control.post('/balance/top-up', { amount: '2500.50' });
    await sandbox.clock.advance('1h');
    await sandbox.payout('salary-1').pay();
    await control.put('/balance', { available: '1000000' });
    await control.put('/balance', { available: '1000000' });
  }

  it('has what moved money, at the time at which it moved, and nothing else', async () => {
    await day();
    const [{ provider_reference: provider } = { provider_reference: '' }] = sandbox.payments();
    expect(sandbox.statement()).toBe(
      `${HEAD}2026-01-01T09:00:00.000Z,Collection,order-1,${provider},15000.00,300.00,255712345678,TZS,Success
2026-01-01T10:00:00.000Z,Adjustment,,,2500.50,,,TZS,Success
2026-01-01T11:00:00.000Z,Payout,salary-1,,20000.00,500.00,0123456789,TZS,Paid
2026-01-01T11:00:00.000Z,Adjustment,,,3299.50,,,TZS,Success
`,
    );
  });

  it('adds up to what the balance changed by', async () => {
    const before = sandbox.balance().balance;
    await day();
    const rows = sandbox.statement().trim().split('\n').slice(1);
    const changes = rows.map((row) => {
      const [, type, , , amount, fee] = row.split(',');
      return (type === 'Payout' ? -1 : 1) * Number(amount) - Number(fee);
    });
    expect(changes.reduce((sum, change) => sum + change, before)).toBe(sandbox.balance().balance);
  });

  it('has a minus for money that a person took out', async () => {
    await control.put('/balance', { available: '1000.25' });
    expect(sandbox.statement()).toContain(',Adjustment,,,-998999.75,,,TZS,Success\n');
  });

  it('has the rows of a period, its begin included and its end not', async () => {
    await day();
    const datesOf = (text: string) => text.match(/T\d\d(?=:)/g) ?? [];
    const [from, to] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z'];
    expect(datesOf(sandbox.statement({ from: new Date(from), to: new Date(to) }))).toEqual(['T10']);
    expect(datesOf(sandbox.statement({ from: new Date(from) }))).toEqual(['T10', 'T11', 'T11']);
    expect(datesOf(sandbox.statement({ to: new Date(from) }))).toEqual(['T09']);
    expect((await control.get(`/statement?from=${from}&to=${to}`)).body).toBe(
      sandbox.statement({ from: new Date(from), to: new Date(to) }),
    );
    const local = encodeURIComponent('2026-01-01T13:00+03:00');
    expect((await control.get(`/statement?from=${local}`)).body).toBe(
      sandbox.statement({ from: new Date(from) }),
    );
  });

  it('is of one merchant', async () => {
    await gateway.collect({}, { merchant: 'shop' });
    await sandbox.merchant('shop').customer(COLLECTION.phone).approve('order-1');
    expect(sandbox.statement()).toBe(HEAD);
    const own = sandbox.merchant('shop').statement();
    expect(own).toContain(',order-1,');
    expect(sandbox.statement({ merchant: 'shop' })).toBe(own);
    expect((await control.get('/statement?merchant=shop')).body).toBe(own);
    await sandbox.merchant('shop').reset();
    expect(sandbox.statement({ merchant: 'shop' })).toBe(HEAD);
  });

  it('writes no formula for a spreadsheet, and cells that stay cells', async () => {
    for (const reference of ['=1+1', 'a,"b"']) {
      await gateway.collect({ reference });
      await sandbox.customer(COLLECTION.phone).approve(reference);
    }
    expect(sandbox.statement()).toContain(",'=1+1,");
    expect(sandbox.statement()).toContain(',"a,""b""",');
  });

  it('is a file over HTTP, and asking for one makes no merchant', async () => {
    const answer = await fetch(`${sandbox.url}/_sandbox/v1/statement?merchant=nobody`);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="statement.csv"');
    expect(await answer.text()).toBe(HEAD);
    expect((await control.get('/info')).body).toMatchObject({ merchants: [] });
  });

  it.each([
    '2026-01-01',
    '2026-01-01T10:00:00',
    'yesterday',
    '2026-13-01T10:00:00Z',
    '2026-02-31T10:00:00Z',
    '',
  ])('is refused from %j on', async (time) => {
    const answer = await control.get<ControlErrorBody>(`/statement?from=${time}`);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BAD_FILTER' } } });
    expect(answer.body.error.message).toBe(
      '`from` must be a time with its zone: write from=2026-11-20T00:00:00Z.',
    );
  });

  it('is refused with dates that do not exist, and for names that are none', () => {
    expect(() => sandbox.statement({ to: new Date('tomorrow') })).toThrow('`from` and `to` must be dates');
    expect(() => sandbox.statement({ merchant: 'a b' })).toThrow("A merchant's name has 1 to 64 letters");
  });

  it('survives a restart and an export, with what a person added', async () => {
    const data = mkdtempSync(join(tmpdir(), 'statement-'));
    const first = await startSandbox({ clock: 'manual', data });
    await controlOf(first).post('/balance/top-up', { amount: '2500.50' });
    await controlOf(first).put('/balance', { available: '0' });
    const written = first.statement();
    expect(written.split('\n')).toHaveLength(4);
    const exported = first.export();
    await first.stop();
    expect((await startSandbox({ data })).statement()).toBe(written);
    await sandbox.import(JSON.parse(JSON.stringify(exported)) as typeof exported);
    expect(sandbox.statement()).toBe(written);
  });

  it('of a world begins with its payments, and with no adjustment', async () => {
    const earlier = await startSandbox({
      clock: 'manual',
      world: {
        merchants: {
          demo: {
            balance: '250000.00',
            payments: [
              {
                reference: 'order-1',
                amount: '15000.00',
                phone: COLLECTION.phone,
                status: 'success',
                age: '2d',
              },
            ],
          },
        },
      },
    });
    expect(earlier.statement()).toMatch(/^Date.*\n.*,Collection,order-1,.*\n$/);
  });
});
