import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { type BatchPolicy, type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { openAnyPostgres } from '../../support/any-postgres.js';
import { type PaymentsDatabase } from '../../support/payments-database.js';
import { startSandbox } from '../../support/sandbox.js';

const POLICY: BatchPolicy = {
  approvals: [
    { from: '0', needed: 1 },
    { from: '5000', needed: 2 },
  ],
};

describe('a batch that nobody has approved for good', () => {
  let database: PaymentsDatabase;
  let sandbox: PaymentsSandbox;
  let storage: PaymentsStorage;
  let running: BatchesApp;
  let name: string;
  let lines: readonly PayoutLine[];
  let names = 0;

  beforeAll(async () => {
    database = await openAnyPostgres();
    sandbox = await startSandbox({ startingBalance: '10000' });
    storage = postgresStorage({ pool: database.pool, schema: database.schema });
    running = await startBatchesApp({ sandbox, storage, policy: { ...POLICY, sameRecipientWithinDays: 0 } });
  });
  beforeEach(async () => {
    await sandbox.reset();
    names += 1;
    name = `run-${names}`;
    // Other lines for each test, so that none is taken for a copy of another one.
    lines = knownLines(sandbox, 2, `${100 + names}`);
  });
  afterAll(async () => {
    await running.app.close();
    await database.close();
  });

  const checked = async (): Promise<PayoutBatch> => {
    const batch = await running.batches.create(name, lines, { by: 'maker' });
    await batch.check({ by: 'maker' });
    return batch;
  };
  const sent = (): number => sandbox.payouts().length;

  it.each<readonly [string, Parameters<PayoutBatch['approve']>[0], string]>([
    ['by its creator', { by: 'maker' }, 'BATCH_APPROVAL'],
    ['by nobody', { by: ' ' }, 'VALIDATION_FAILED'],
    ['for other lines', { by: 'checker', digest: 'f'.repeat(64) }, 'BATCH_APPROVAL'],
    ['for no lines', { by: 'checker', digest: '' }, 'BATCH_APPROVAL'],
    ['with a misspelled digest', { by: 'checker', ...{ digset: 'f'.repeat(64) } }, 'VALIDATION_FAILED'],
    [
      'with an empty field of a form',
      { by: 'checker', digest: undefined as unknown as string },
      'VALIDATION_FAILED',
    ],
  ])('is not approved %s, and does not start', async (_how, approval, code) => {
    const batch = await checked();
    await expect(batch.approve(approval)).rejects.toMatchObject({ code });
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_STATE' });
    expect(sent()).toBe(0);
  });

  it('is not approved if a line is not checked', async () => {
    const batch = await checked();
    const key = { account: 'default', environment: 'sandbox', batch: name } as const;
    const load = (await storage.batches?.get(key))?.record.load ?? '';
    await storage.batches?.change(load, [{ number: 2, from: ['checked'], to: 'waiting' }]);
    await expect(batch.approve({ by: 'checker' })).rejects.toMatchObject({ code: 'BATCH_BLOCKED' });
    await batch.check({ by: 'maker' });
    await batch.approve({ by: 'checker' });
  });

  it('needs two people from a certain sum on, and none of them counts twice', async () => {
    lines = knownLines(sandbox, 2, '2500');
    const batch = await checked();
    await batch.approve({ by: 'first' });
    expect((await batch.progress()).state).toBe('checked');
    await expect(batch.approve({ by: 'first' })).rejects.toMatchObject({ code: 'BATCH_APPROVAL' });
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_STATE' });
    await batch.approve({ by: 'second' });
    expect((await batch.progress()).state).toBe('approved');
  });

  it('needs the approvals of the policy under which it was loaded, also of a process with a laxer one', async () => {
    lines = knownLines(sandbox, 2, '2502');
    await checked();
    const lax = await startBatchesApp({ sandbox, storage });
    const batch = await lax.batches.open(name);
    await batch.approve({ by: 'first' });
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_STATE' });
    await batch.approve({ by: 'second' });
    expect((await batch.progress()).state).toBe('approved');
    await lax.app.close();
  });

  it('loses its approvals when it is checked again', async () => {
    lines = knownLines(sandbox, 2, '2501');
    const batch = await checked();
    await batch.approve({ by: 'first' });
    await batch.check({ by: 'maker' });
    await batch.approve({ by: 'second' });
    expect((await batch.progress()).state).toBe('checked');
  });

  it('pays no blocked line that its approvers did not see as accepted', async () => {
    const [first, second] = knownLines(sandbox, 2, '31') as [PayoutLine, PayoutLine];
    lines = [first, { ...second, name: 'Somebody Else' }];
    const batch = await checked();
    await batch.approve({ by: 'checker', withoutBlocked: true });
    const word = { by: 'maker', because: 'please' };
    await expect(batch.accept(['S-2'], word)).rejects.toMatchObject({ code: 'BATCH_STATE' });
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({ accepted: { lines: 1 }, blocked: { lines: 1 } });
    expect(sent()).toBe(1);
  });

  it('shows every reason why a line is blocked, and a word for one of them is none for another', async () => {
    const [first, second] = knownLines(sandbox, 2, '33') as [PayoutLine, PayoutLine];
    const { account_number } = first;
    lines = [first, { ...second, account_number, name: 'Somebody Else' }];
    const careful = await startBatchesApp({ sandbox, storage, policy: { sameRecipientWithinDays: 5 } });
    const batch = await careful.batches.create(name, lines, { by: 'maker' });
    const { blockedLines } = await batch.check({ by: 'maker' });
    expect(blockedLines).toMatchObject([{ key: 'S-2', problems: ['name', 'same-recipient'] }]);
    await expect(batch.accept(['S-2'], { by: 'maker', because: ' ' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await careful.app.close();
  });

  it('loses the first of two approvals when a line is accepted after it', async () => {
    const [first, second] = knownLines(sandbox, 2, '2600') as [PayoutLine, PayoutLine];
    lines = [first, { ...second, name: 'Somebody Else' }];
    const batch = await checked();
    await batch.approve({ by: 'first', withoutBlocked: true });
    expect(await batch.accept(['S-2'], { by: 'maker', because: 'a passport' })).toBe(1);
    await batch.approve({ by: 'second' });
    expect((await batch.progress()).state).toBe('checked');
  });

  it('sends nothing of a line that was changed in the database after the approval', async () => {
    const batch = await approvedBatch(running.batches, name, lines);
    await database.pool.query(
      `UPDATE payments_batch_lines SET content = replace(content, '${String(lines[0]?.account_number)}', '0150999999999')`,
    );
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({
      state: 'paused',
      pauseReason: 'Lines of the chunk 1 were changed after they were loaded.',
    });
    expect(sent()).toBe(0);
  });

  it('does not start if the digests of its lines were changed', async () => {
    const batch = await approvedBatch(running.batches, name, lines);
    await database.pool.query("UPDATE payments_batch_chunks SET digest = 'forged'");
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_CHANGED' });
    expect(sent()).toBe(0);
  });

  it('does not start if the wallet holds too little', async () => {
    lines = knownLines(sandbox, 2, '4000');
    const batch = await checked();
    await batch.approve({ by: 'first' });
    await batch.approve({ by: 'second' });
    const [first] = knownLines(sandbox, 1);
    await running.disbursements.bank({
      reference: `other-${names}`,
      amount: '5000',
      remarks: 'Something else',
      bank_code: String(first?.bank_code),
      account_number: String(first?.account_number),
      account_name: String(first?.name),
    });
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_BALANCE' });
    expect(sent()).toBe(1);
  });

  it('is not loaded twice: not under its name, and under another one only on purpose', async () => {
    const batch = await running.batches.create(name, lines, { by: 'maker' });
    const again = { by: 'maker' };
    await expect(running.batches.create(name, lines, again)).rejects.toMatchObject({ code: 'BATCH_EXISTS' });
    const copy = `${name}-copy`;
    await expect(running.batches.create(copy, lines, again)).rejects.toMatchObject({
      code: 'BATCH_SAME_LINES',
    });
    await expect(running.batches.open(copy)).rejects.toMatchObject({ code: 'BATCH_NOT_FOUND' });
    const other = await running.batches.create(copy, lines, { ...again, again: [name] });
    expect(other.digest).toBe(batch.digest);
  });

  it('is cancelled forever', async () => {
    const batch = await approvedBatch(running.batches, name, lines);
    await batch.cancel({ by: 'checker' });
    for (const act of ['start', 'resume', 'pause', 'cancel', 'check'] as const) {
      await expect(batch[act]({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_STATE' });
    }
    expect((await batch.progress()).byState).toMatchObject({ checked: { lines: 2 } });
    expect(sent()).toBe(0);
  });
});
