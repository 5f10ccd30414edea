import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { addMoney, compareMoney } from 'nestjs-payments';
import { linesFromCsv, type PayoutLine } from 'nestjs-payments/batches';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../../test/support/sandbox.js';
import { type DeskUser, HEAD, PayrollDesk, type Refusal } from './payroll-desk.js';

let sandbox: PaymentsSandbox;
let desk: PayrollDesk;
let asha: DeskUser;
let omari: DeskUser;
let months = 0;
let month: string;

beforeAll(async () => {
  sandbox = await startSandbox({ startingBalance: '20000000', clock: 'manual' });
  desk = await PayrollDesk.open(sandbox);
  asha = await desk.signIn('asha', 'rice');
  omari = await desk.signIn('omari', 'beans');
});
beforeEach(async () => {
  await sandbox.reset();
  months += 1;
  month = `month-${months}`;
});
afterAll(() => desk.close());

/** Rows whose recipients the gateway knows under the same names. Each month pays others. */
function staff(count: number, amount = '1000'): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    const account = `01502${String(months).padStart(3, '0')}${String(n).padStart(4, '0')}`;
    sandbox.directory.register(account, 'Neema Mwakyusa');
    return `S-${n + 1},Neema Mwakyusa,${amount},BSB,${account},,`;
  });
}

const file = (...rows: readonly string[]): string => `${[HEAD, ...rows].join('\n')}\n`;
const references = (): readonly string[] => sandbox.payouts().map(({ reference }) => reference);

/** A batch that omari has approved. */
async function approved(rows: readonly string[]): Promise<void> {
  expect((await asha.load(month, file(...rows))).status).toBe(201);
  const { digest } = (await asha.post(`batches/${month}/check`)).body;
  expect((await omari.post(`batches/${month}/approve`, { digest })).status).toBe(200);
}

const take = (user: DeskUser, step: string) => user.post(`batches/${month}/steps`, { step });

describe('the payroll desk', () => {
  it('pays a month: loaded and checked by one person, approved by another, followed live to its end', async () => {
    const loaded = await asha.load(month, file(...staff(30)));
    expect(loaded).toMatchObject({ status: 201, body: { name: month, state: 'loaded' } });
    const checked = await asha.post(`batches/${month}/check`);
    expect(checked.body).toMatchObject({ state: 'checked', byState: { checked: { lines: 30 } } });
    const { digest } = checked.body;
    expect((await omari.post(`batches/${month}/approve`, { digest })).body.state).toBe('approved');
    const [before] = await asha.until(month, 'approved');
    expect(before?.byState).toEqual({ checked: { lines: 30, amount: '30000.00' } });

    // The last line has no answer before the clock says so: the page sees the others move meanwhile.
    sandbox.next('POST /disbursements/bank', { reference: `${month}.S-30` }).delay('1m');
    expect((await take(asha, 'start')).status).toBe(200);
    const heard = await omari.until(month, 'ended', async ({ byState }) => {
      if (byState.accepted && sandbox.payouts().length === 30) await sandbox.clock.advance('1m');
    });
    expect(heard.some(({ state, linesPerSecond = 0 }) => state === 'running' && linesPerSecond > 0)).toBe(
      true,
    );
    const sent = heard.map(({ byState }) => byState.accepted?.lines ?? 0);
    expect(sent).toEqual([...sent].sort((one, other) => one - other));
    for (const { byState } of heard) {
      const lines = Object.values(byState).reduce((sum, state) => sum + state.lines, 0);
      expect(lines).toBe(30);
    }
    expect(heard.at(-1)?.byState).toEqual({ accepted: { lines: 30, amount: '30000.00' } });
    expect([...references()].sort()).toEqual(
      Array.from({ length: 30 }, (_, n) => `${month}.S-${n + 1}`).sort(),
    );
    const { trail } = (await asha.get(`batches/${month}`)).body;
    expect(trail.map(({ by, action }) => `${by} ${action}`)).toEqual([
      'asha create',
      'asha load',
      'asha check',
      'payout-batches check-end',
      'omari approve',
      'asha start',
      'payout-batches end',
    ]);
  });

  it('lets nobody approve what they loaded, nor lines that they did not see', async () => {
    await asha.load(month, file(...staff(2)));
    const { digest } = (await asha.post(`batches/${month}/check`)).body;
    const path = `batches/${month}/approve`;
    for (const [user, shown] of [
      [asha, digest],
      [omari, 'f'.repeat(64)],
      [omari, ''],
    ] as const) {
      const { status, body } = await user.post<Refusal>(path, { digest: shown });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'BATCH_APPROVAL' });
    }
    expect((await omari.post(path, {})).status).toBe(400);
    // Who approves is who is signed in.
    expect((await asha.post(path, { digest, by: 'omari' })).status).toBe(400);
    expect(await take(asha, 'start')).toMatchObject({ status: 409, body: { code: 'BATCH_STATE' } });
    expect(sandbox.payouts()).toEqual([]);
  });

  it('approves nothing for a page that shows a line as blocked which somebody has accepted since', async () => {
    const [first, second] = staff(2) as [string, string];
    await asha.load(month, file(first, second.replace('Neema Mwakyusa', 'Halima Kessy')));
    await asha.post(`batches/${month}/check`);
    const old = (await omari.get(`batches/${month}`)).body;
    await asha.post(`batches/${month}/accept`, { keys: ['S-2'], because: 'She has married.' });
    const approval = { digest: old.digest, withoutBlocked: true };
    expect((await omari.post(`batches/${month}/approve`, approval)).status).toBe(403);
    const { digest } = (await omari.get(`batches/${month}`)).body;
    expect((await omari.post(`batches/${month}/approve`, { digest })).body.state).toBe('approved');
  });

  it('needs a third person for five million', async () => {
    const neema = await desk.signIn('neema', 'maize');
    await asha.load(month, file(...staff(2, '2500000')));
    const { digest } = (await asha.post(`batches/${month}/check`)).body;
    const path = `batches/${month}/approve`;
    expect((await omari.post(path, { digest })).body.state).toBe('checked');
    expect((await omari.post(path, { digest })).status).toBe(403);
    expect((await neema.post(path, { digest })).body.state).toBe('approved');
  });

  it('pays blocked lines when somebody says why, and leaves the others unpaid', async () => {
    const [first, second, third] = staff(3) as [string, string, string];
    const rename = (row: string): string => row.replace('Neema Mwakyusa', 'Halima Kessy');
    await asha.load(month, file(first, rename(second), rename(third)));
    const { lines } = (await asha.post(`batches/${month}/check`)).body;
    expect(lines).toMatchObject([
      { key: 'S-2', state: 'blocked', problems: ['name'], holder: 'Neema Mwakyusa' },
      { key: 'S-3', state: 'blocked' },
    ]);
    const accept = `batches/${month}/accept`;
    expect((await asha.post(accept, { keys: ['S-2'], because: ' ' })).status).toBe(400);
    expect((await asha.post(accept, { keys: ['S-9'], because: 'why' })).status).toBe(404);
    const { body } = await asha.post(accept, { keys: ['S-2'], because: 'She has married.' });
    expect(body.lines).toMatchObject([{ key: 'S-3' }]);
    const approve = { digest: body.digest };
    expect((await omari.post(`batches/${month}/approve`, approve)).status).toBe(409);
    await omari.post(`batches/${month}/approve`, { ...approve, withoutBlocked: true });
    await take(asha, 'start');
    await asha.until(month, 'ended');
    expect([...references()].sort()).toEqual([`${month}.S-1`, `${month}.S-2`]);
  });

  it('shows an unknown line, never sends it again, and writes down what the support says', async () => {
    sandbox.next('POST /disbursements/bank', { reference: `${month}.S-2` }).dropAfterProcessing();
    sandbox.next('POST /disbursements/bank', { reference: `${month}.S-3` }).dropBefore();
    await approved(staff(4));
    await take(asha, 'start');
    await asha.until(month, 'ended');
    const unknown = (await asha.get(`batches/${month}`)).body.lines;
    expect(unknown.map(({ key, state }) => [key, state])).toEqual([
      ['S-2', 'unknown'],
      ['S-3', 'unknown'],
    ]);
    await desk.pass();
    const asked = (await asha.post(`batches/${month}/ask-again`)).body;
    expect(asked.lines.map(({ key }) => key)).toEqual(['S-2']);
    expect(asked.byState).toMatchObject({ accepted: { lines: 3 }, unknown: { lines: 1 } });
    const settled = await omari.post(`batches/${month}/lines/S-2/settle`, { outcome: 'paid' });
    expect(settled.body.byState).toMatchObject({ accepted: { lines: 3 }, paid: { lines: 1 } });
    expect(settled.body.trail.at(-1)).toMatchObject({
      by: 'omari',
      details: { key: 'S-2', outcome: 'paid' },
    });
    expect([...references()].sort()).toEqual([1, 2, 3, 4].map((n) => `${month}.S-${n}`));
  });

  it('pauses, continues, and is cancelled forever', async () => {
    await approved(staff(3));
    sandbox.next('POST /disbursements/bank').status(400, { code: 'INSUFFICIENT_BALANCE' }).times(3);
    await take(asha, 'start');
    const [paused] = (await asha.until(month, 'paused')).slice(-1);
    expect(paused).toMatchObject({ pauseReason: 'The wallet holds too little: top it up.' });
    sandbox.next('POST /disbursements/bank').status(400, { code: 'INSUFFICIENT_BALANCE' }).times(3);
    expect((await take(asha, 'resume')).status).toBe(200);
    await asha.until(month, 'paused');
    expect((await take(omari, 'cancel')).body.state).toBe('cancelled');
    expect((await take(asha, 'resume')).status).toBe(409);
    expect(sandbox.payouts()).toEqual([]);
  });

  it('does not load the same lines twice, unless somebody names the earlier batch', async () => {
    const rows = staff(2);
    await asha.load(month, file(...rows));
    expect(await asha.load(month, file(...rows))).toMatchObject({ status: 409 });
    const copy = `${month}-copy`;
    expect(await asha.load(copy, file(...rows))).toMatchObject({
      status: 409,
      body: { code: 'BATCH_SAME_LINES' },
    });
    expect(await asha.get(`batches/${copy}`)).toMatchObject({ status: 404 });
    expect((await asha.load(copy, file(...rows), `?again=${month}`)).status).toBe(201);
  });

  it('lists every bad line, loads nothing, and asks the gateway nothing', async () => {
    const bad = file(
      'S-1,Asha,"1,000",BSB,0150234567801,,',
      'S-2,Omari,1000,,,12345,',
      'S-3,,1,,,0712345678,',
    );
    const { status, body } = await asha.send<Refusal>('POST', `batches/${month}`, bad, 'text/csv');
    expect(status).toBe(400);
    expect(Object.keys(body.errors!)).toEqual(['line 2', 'line 3', 'line 4']);
    expect(JSON.stringify(body)).not.toMatch(/0150234567801|12345/);
    expect(await asha.get(`batches/${month}`)).toMatchObject({ status: 404 });
    expect(sandbox.requests()).toEqual([]);
  });

  it('answers at once what is wrong with the first line of a file that is still being sent', async () => {
    const pieces = Array.from({ length: 200 }, () => Buffer.alloc(65_536, 'Asha,1\n'));
    const long = Readable.from([Buffer.from('name,salary\n'), ...pieces]);
    const { status, body } = await asha.send<Refusal>('POST', `batches/${month}`, long, 'text/csv');
    expect({ status, problem: body.errors?.['file']?.[0] }).toEqual({
      status: 400,
      problem: expect.stringContaining('must name the columns') as unknown,
    });
  });

  it('takes a file as text/csv and as nothing else', async () => {
    expect((await asha.post(`batches/${month}`, {})).status).toBe(415);
  });

  it('gives reports with masked accounts and phones, and one without names', async () => {
    const [row] = staff(1) as [string];
    sandbox.directory.register('255712345601', 'Asha Mushi');
    await approved([row, 'S-9,Asha Mushi,1000,,,0712 345 601,']);
    const report = await asha.text(`batches/${month}/report`);
    expect(report.split('\n')[2]).toMatch(/^2,S-9,month-\d+\.S-9,Asha Mushi,\*{4}601,1000\.00,.*checked,$/);
    const summary = await asha.text(`batches/${month}/report?format=summary`);
    expect(summary).not.toContain('Asha');
    const view = JSON.stringify((await asha.get(`batches/${month}`)).body);
    expect(report + summary + view).not.toMatch(/01502\d{7}|712 ?345/);
    expect((await asha.get(`batches/${month}/report?format=json`)).status).toBe(400);
  });

  it('lists the batches, the newest name first', async () => {
    await asha.load(month, file(...staff(1)));
    const { body } = await asha.get<readonly { readonly name: string }[]>('batches');
    const names = body.map(({ name }) => name);
    expect(names).toContain(month);
    expect(names).toEqual([...names].sort().reverse());
  });
});

describe('the file of the sample', () => {
  it('is right, and the wallet of the emulator covers it', async () => {
    const rows: PayoutLine[] = [];
    const csv = await readFile(join(import.meta.dirname, '..', 'salaries.csv'));
    for await (const row of linesFromCsv(csv)) rows.push(row);
    expect((await asha.load(month, csv.toString())).status).toBe(201);
    expect(rows).toHaveLength(8);
    // What the emulator's wallet holds at first, with its fees.
    expect(compareMoney(addMoney(...rows.map(({ amount }) => String(amount))), '990000')).toBe(-1);
  });
});

describe('a desk that nobody told for how long the gateway remembers keys', () => {
  let other: PayrollDesk;

  beforeAll(async () => {
    other = await PayrollDesk.open(sandbox);
    await other.stop();
    await other.start({ PAYROLL_ASK_AGAIN_HOURS: '' });
    asha = await other.signIn('asha', 'rice');
    omari = await other.signIn('omari', 'beans');
  });
  afterAll(() => other.close());

  it('sends no payout again, also if somebody asks again', async () => {
    sandbox.next('POST /disbursements/bank', { reference: `${month}.S-1` }).dropBefore();
    await approved(staff(1));
    await take(asha, 'start');
    await asha.until(month, 'ended');
    await other.pass();
    await asha.post(`batches/${month}/ask-again`);
    expect((await asha.get(`batches/${month}`)).body.byState).toMatchObject({ unknown: { lines: 1 } });
    expect(references()).toEqual([]);
  });
});
