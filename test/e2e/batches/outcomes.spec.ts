import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { addMoney, aesGcm, type PaymentsStorage } from 'nestjs-payments';
import { type PayoutBatch, type PayoutBatchLine, type PayoutLine } from 'nestjs-payments/batches';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { openAnyPostgres } from '../../support/any-postgres.js';
import { type PaymentsDatabase } from '../../support/payments-database.js';
import { startSandbox } from '../../support/sandbox.js';

async function linesOf(
  batch: PayoutBatch,
  state?: PayoutBatchLine['state'],
): Promise<readonly PayoutBatchLine[]> {
  const lines = [];
  for await (const line of batch.lines(state && { state })) lines.push(line);
  return lines;
}

describe('a batch of which not everything goes well', () => {
  let database: PaymentsDatabase;
  let storage: PaymentsStorage;
  let sandbox: PaymentsSandbox;
  let running: BatchesApp;
  let name: string;
  let now = Date.parse('2026-11-25T08:00:00Z');
  let names = 0;

  const policy = {
    sameRecipientWithinDays: 0,
    stopAfterUnknown: 3,
    stopAfterRefused: 3,
    resumeAfterTopUp: true,
  };
  const start = (more: { readonly concurrency?: number } = {}): Promise<BatchesApp> =>
    startBatchesApp({ sandbox, storage, policy, now: () => now, ...more });

  beforeAll(async () => {
    database = await openAnyPostgres();
    storage = postgresStorage({ pool: database.pool, schema: database.schema });
    sandbox = await startSandbox({ startingBalance: '1000000' });
    running = await start();
  });
  beforeEach(async () => {
    await sandbox.reset();
    names += 1;
    name = `run-${names}`;
  });
  afterAll(async () => {
    await running.app.close();
    await database.close();
  });

  const begun = async (count: number): Promise<PayoutBatch> => {
    const batch = await approvedBatch(running.batches, name, knownLines(sandbox, count, `${100 + names}`));
    await batch.start({ by: 'maker' });
    return batch;
  };
  const references = (): readonly string[] => sandbox.payouts().map(({ reference }) => reference);

  it('calls a lost answer unknown, a refusal refused, and pays neither again', async () => {
    sandbox
      .next('POST /disbursements/bank', { reference: `${name}.S-2` })
      .dropAfterProcessing()
      .times(9);
    sandbox
      .next('POST /disbursements/bank', { reference: `${name}.S-3` })
      .status(422, { code: 'INVALID_ACCOUNT' });
    const batch = await begun(5);
    expect(await batch.finished()).toMatchObject({
      state: 'ended',
      byState: { accepted: { lines: 3 }, unknown: { lines: 1 }, refused: { lines: 1 } },
    });
    expect(await linesOf(batch, 'unknown')).toMatchObject([
      { key: 'S-2', detail: expect.stringContaining('no certain') as unknown },
    ]);
    expect(await linesOf(batch, 'refused')).toMatchObject([{ key: 'S-3' }]);
    expect(await batch.askAgain()).toBe(0);
    expect(references().filter((reference) => reference === `${name}.S-2`)).toHaveLength(1);

    await batch.settle('S-2', 'paid', { by: 'support' });
    expect(await running.journal.get('disbursement', `${name}.S-2`)).toMatchObject({ outcome: 'paid' });
    expect((await batch.progress()).byState).toMatchObject({ accepted: { lines: 3 }, paid: { lines: 1 } });
    await expect(batch.settle('S-3', 'failed', { by: 'support' })).rejects.toMatchObject({
      code: 'LINE_NOT_SETTLED',
      message: 'The line "S-3" was refused, which moved no money, so no outcome was written down.',
    });
    expect(await running.journal.get('disbursement', `${name}.S-3`)).toMatchObject({ state: 'rejected' });
    // The gateway called it a refusal, and paid it anyway.
    await batch.settle('S-3', 'paid', { by: 'support' });
    expect((await batch.progress()).byState).toEqual({
      accepted: expect.objectContaining({ lines: 3 }) as unknown,
      paid: expect.objectContaining({ lines: 2 }) as unknown,
    });
    await expect(batch.settle('S-9', 'paid', { by: 'support' })).rejects.toMatchObject({
      code: 'LINE_NOT_FOUND',
    });
  });

  it('does not pause because the lines of a process that died are unknown', async () => {
    const batch = await approvedBatch(running.batches, name, knownLines(sandbox, 6, `${100 + names}`));
    const { batches } = storage;
    const key = { account: 'default', environment: 'sandbox', batch: name } as const;
    const load = (await batches?.get(key))?.record.load ?? '';
    const died = [1, 2, 3, 4].map((number) => ({ number, from: ['checked'], to: 'sending' }) as const);
    expect(await batches?.change(load, died)).toEqual([1, 2, 3, 4]);
    for (const { number } of died) {
      const call = { reference: `${name}.S-${number}` };
      sandbox.next('POST /disbursements/bank', call).dropAfterProcessing().times(9);
    }
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({
      state: 'ended',
      byState: { unknown: { lines: 4 }, accepted: { lines: 2 } },
    });
  });

  it('pauses after unknown outcomes in a row, and sends the rest when somebody resumes it', async () => {
    await running.app.close();
    // Else the answer to another line may come between two that are lost.
    running = await start({ concurrency: 1 });
    sandbox.next('POST /disbursements/bank').dropAfterProcessing().times(3);
    const batch = await begun(30);
    const paused = await batch.finished();
    expect(paused).toMatchObject({
      state: 'paused',
      pauseReason: expect.stringContaining('in a row are unknown') as unknown,
      byState: { unknown: { lines: 3 }, checked: { lines: 27 } },
    });
    await batch.resume({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({
      state: 'ended',
      byState: { accepted: { lines: 27 }, unknown: { lines: 3 } },
    });
    expect(new Set(references()).size).toBe(30);
    expect(references()).toHaveLength(30);
    await running.app.close();
    running = await start();
  });

  it('pauses when the wallet is empty, and nothing is called refused', async () => {
    sandbox
      .next('POST /disbursements/bank', { reference: `${name}.S-4` })
      .status(400, { code: 'INSUFFICIENT_BALANCE' });
    const batch = await begun(6);
    const paused = await batch.finished();
    expect(paused).toMatchObject({ state: 'paused', pauseReason: 'The wallet holds too little: top it up.' });
    expect(paused.byState).not.toHaveProperty('refused');
    expect((await linesOf(batch, 'checked')).map(({ key }) => key)).toContain('S-4');
    await batch.resume({ by: 'maker' });
    expect((await batch.finished()).byState).toEqual({
      accepted: { lines: 6, amount: expect.any(String) as unknown },
    });
  });

  it('checks a line again that was checked too long ago, and leaves it if its holder changed', async () => {
    const lines = knownLines(sandbox, 2, '777');
    const batch = await approvedBatch(running.batches, name, lines);
    now += 2 * 86_400_000;
    sandbox.directory.register(String(lines[1]?.account_number), 'Somebody Else');
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({
      byState: { accepted: { lines: 1 }, blocked: { lines: 1 } },
    });
    expect(await linesOf(batch, 'blocked')).toMatchObject([
      { key: 'S-2', problems: ['name'], holder: 'Somebody Else' },
    ]);
  });

  it('leaves a line blocked that was accepted for another holder', async () => {
    const [first, second] = knownLines(sandbox, 2, '778') as [PayoutLine, PayoutLine];
    const lines = [first, { ...second, name: 'Somebody Else' }];
    const batch = await running.batches.create(name, lines, { by: 'maker' });
    await batch.check({ by: 'maker' });
    expect(await batch.accept(['S-2'], { by: 'checker', because: 'a passport' })).toBe(1);
    await batch.approve({ by: 'checker' });
    now += 2 * 86_400_000;
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({ byState: { accepted: { lines: 2 } } });

    const other = await running.batches.create(`${name}-2`, lines, { by: 'maker', again: [name] });
    await other.check({ by: 'maker' });
    await other.accept(['S-2'], { by: 'checker', because: 'a passport' });
    await other.approve({ by: 'checker' });
    now += 2 * 86_400_000;
    sandbox.directory.register(String(second.account_number), 'A Third Person');
    await other.start({ by: 'maker' });
    expect(await other.finished()).toMatchObject({
      byState: { accepted: { lines: 1 }, blocked: { lines: 1 } },
    });
  });

  it('leaves a line as begun that it has not reached when it pauses, if another process had begun it', async () => {
    const batch = await approvedBatch(running.batches, name, knownLines(sandbox, 30, '22'));
    await database.pool.query(
      `UPDATE payments_batch_lines SET state = 'sending' WHERE line_number = 30 AND batch_load IN
        (SELECT batch_load FROM payments_batches WHERE name = '${name}')`,
    );
    sandbox
      .next('POST /disbursements/bank', { reference: `${name}.S-1` })
      .status(400, { code: 'INSUFFICIENT_BALANCE' });
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).state).toBe('paused');
    expect(await linesOf(batch, 'sending')).toMatchObject([{ key: 'S-30' }]);
    expect((await linesOf(batch, 'checked')).map(({ key }) => key)).toContain('S-29');
  });

  it('continues in the next process, and pays nothing twice', async () => {
    const batch = await approvedBatch(running.batches, name, knownLines(sandbox, 250, '10'));
    await batch.start({ by: 'maker' });
    for await (const { byState } of batch.watch()) {
      if ((byState.accepted?.lines ?? 0) > 0) break;
    }
    await running.app.close();
    expect(references().length).toBeLessThan(250);
    running = await start();
    const reopened = await running.batches.open(name);
    expect(await reopened.finished()).toMatchObject({
      state: 'ended',
      byState: { accepted: { lines: 250 } },
    });
    expect(new Set(references()).size).toBe(250);
    expect(references()).toHaveLength(250);
  });

  it('stops when somebody pauses or cancels it, within a chunk', async () => {
    const batch = await approvedBatch(running.batches, name, knownLines(sandbox, 300, '11'));
    await batch.start({ by: 'maker' });
    for await (const { byState } of batch.watch()) {
      if ((byState.accepted?.lines ?? 0) > 0) break;
    }
    await batch.cancel({ by: 'checker' });
    const known = references().length;
    expect(known).toBeLessThan(300);
    const { state, byState } = await batch.finished();
    expect(state).toBe('cancelled');
    expect(byState.checked?.lines ?? 0).toBeGreaterThan(0);
    await running.app.close();
    running = await start();
    expect((await (await running.batches.open(name)).progress()).state).toBe('cancelled');
    expect(references().length).toBeLessThan(known + 100);
  });

  it('never says of a line that a dead process had begun that nothing was sent', async () => {
    const batch = await approvedBatch(running.batches, name, knownLines(sandbox, 3, '21'));
    // As a process leaves it that dies after the gateway took the line, and after it began another one.
    const [sent] = knownLines(sandbox, 1, '21');
    await running.disbursements.bank({
      reference: `${name}.S-1`,
      amount: '21',
      remarks: name,
      bank_code: 'BSB',
      account_number: String(sent?.account_number),
      account_name: String(sent?.name),
    });
    await database.pool.query(
      `UPDATE payments_batch_lines SET state = 'sending' WHERE line_number <= 2 AND batch_load IN
        (SELECT batch_load FROM payments_batches WHERE name = '${name}')`,
    );
    await database.pool.query(
      `UPDATE payments_batch_counts SET state = 'sending', line_count = 2 WHERE state = 'checked' AND batch_load IN
        (SELECT batch_load FROM payments_batches WHERE name = '${name}')`,
    );
    await batch.cancel({ by: 'checker' });
    expect(await batch.askAgain()).toBe(2);
    expect((await linesOf(batch)).map(({ key, state }) => [key, state])).toEqual([
      ['S-1', 'accepted'],
      ['S-2', 'checked'],
      ['S-3', 'checked'],
    ]);
    expect(references()).toEqual([`${name}.S-1`]);
  });

  it('believes the journal when it asks again: what was settled there, or refused, is so here, and nothing is sent', async () => {
    sandbox.next('POST /disbursements/bank').dropAfterProcessing().times(2);
    const batch = await begun(2);
    await batch.finished();
    await running.journal.settle('disbursement', `${name}.S-1`, 'paid');
    await running.journal.settle('disbursement', `${name}.S-2`, 'failed');
    const before = sandbox.requests().length;
    expect(await batch.askAgain()).toBe(2);
    expect((await linesOf(batch)).map(({ state }) => state)).toEqual(['paid', 'failed']);
    expect(sandbox.requests()).toHaveLength(before);
  });

  it('settles a line as failed whose payment was cancelled, which stays in the journal, and not as paid', async () => {
    const batch = await begun(1);
    await batch.finished();
    await running.journal.settle('disbursement', `${name}.S-1`, 'cancelled');
    await expect(batch.settle('S-1', 'paid', { by: 'support' })).rejects.toMatchObject({
      code: 'ALREADY_SETTLED',
    });
    await batch.settle('S-1', 'failed', { by: 'support' });
    expect((await linesOf(batch)).map(({ state }) => state)).toEqual(['failed']);
    expect(await running.journal.get('disbursement', `${name}.S-1`)).toMatchObject({ outcome: 'cancelled' });
  });

  it('reports every line, with masked recipients', async () => {
    const batch = await begun(2);
    await batch.finished();
    const [{ fee } = { fee: '' }] = sandbox.payouts();
    expect(Number(fee)).toBeGreaterThan(0);
    let csv = '';
    for await (const part of batch.report({ format: 'csv' })) csv += part;
    expect(csv.split('\n')[1]).toBe(
      `1,S-1,${name}.S-1,Asha Za Mushi,BSB ****999,${100 + names}.00,${fee},accepted,`,
    );
    let summary = '';
    for await (const part of batch.report({ format: 'summary' })) summary += part;
    expect(summary).not.toContain('Asha');
    const fees = addMoney(fee, fee);
    expect(summary.trimEnd().split('\n').at(-1)).toBe(`${name},all,total,2,${2 * (100 + names)}.00,${fees}`);
  });

  it('shows no name, account or phone in the database if the account has an encryption', async () => {
    const encryption = aesGcm({ keys: { one: randomBytes(32) }, current: 'one' });
    const sealedApp = await startBatchesApp({ sandbox, storage, policy, options: { encryption } });
    const [line] = knownLines(sandbox, 1, '12');
    const batch = await approvedBatch(sealedApp.batches, name, line ? [line] : []);
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 1 } } });
    expect(await linesOf(batch)).toMatchObject([{ name: 'Asha Za Mushi', to: 'BSB ****999' }]);
    await sealedApp.app.close();
    const { rows } = await database.pool.query(
      `SELECT l.* FROM payments_batch_lines l JOIN payments_batches b USING (batch_load) WHERE b.name = '${name}'`,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/Asha|Mushi|0150000000999/);
  });
});
