import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PayoutLine } from 'nestjs-payments/batches';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

let place: BatchesPlace;
let sandbox: PaymentsSandbox;
let running: BatchesApp;
let name: string;
let lines: readonly [PayoutLine, PayoutLine];
let names = 0;

beforeAll(async () => {
  place = await startBatchesPlace();
  sandbox = place.sandbox;
  running = await startBatchesApp({ sandbox, storage: place.storage });
});
beforeEach(async () => {
  await sandbox.reset();
  names += 1;
  name = `run-${names}`;
  lines = knownLines(sandbox, 2, `${100 + names}`) as [PayoutLine, PayoutLine];
});
afterAll(async () => {
  await running.app.close();
  await place.close();
});

/** Pays a batch to its end. */
async function paid(batch: string, rows: readonly PayoutLine[]): Promise<void> {
  const approved = await approvedBatch(running.batches, batch, rows);
  await approved.start({ by: 'maker' });
  await approved.finished();
}

describe('what the gateway gets of a line', () => {
  it('has the name, the network and the spelling that the gateway knows', async () => {
    sandbox.directory.register('0150234567801', 'MUSHI, Asha');
    sandbox.directory.register('255712345603', 'Temba Neema');
    await paid(name, [
      {
        key: 'S-1',
        name: 'Asha Mushi',
        amount: '500000',
        bank_code: 'bsb',
        account_number: '0150234567801',
      },
      {
        key: 'S-2',
        name: 'Neema Temba',
        amount: '300000.5',
        phone: '0712 345 603',
        remarks: 'Overtime included',
      },
    ]);
    const payouts = [...sandbox.payouts()].sort((one, other) => (one.reference < other.reference ? -1 : 1));
    expect(payouts).toMatchObject([
      {
        reference: `${name}.S-1`,
        amount: '500000.00',
        account_name: 'MUSHI, Asha',
        bank_code: 'BSB',
        remarks: name,
      },
      {
        reference: `${name}.S-2`,
        amount: '300000.50',
        recipient_phone: '255712345603',
        recipient_name: 'Temba Neema',
        network: 'NET_SIX',
        remarks: 'Overtime included',
      },
    ]);
  });
});

describe('a recipient that the gateway does not know', () => {
  it('is blocked, and nobody can have it paid', async () => {
    const [first, second] = lines;
    sandbox.directory.close(String(second.account_number));
    const batch = await running.batches.create(name, [{ ...first, bank_code: 'XYZ' }, second], {
      by: 'maker',
    });
    const { blockedLines } = await batch.check({ by: 'maker' });
    expect(blockedLines).toMatchObject([
      { key: 'S-1', problems: ['bank'] },
      { key: 'S-2', problems: ['recipient'] },
    ]);
    expect(await batch.accept(['S-1', 'S-2'], { by: 'maker', because: 'I know them' })).toBe(0);
    expect((await batch.progress()).byState).toMatchObject({ blocked: { lines: 2 } });
    await batch.approve({ by: 'checker', withoutBlocked: true });
    await batch.start({ by: 'maker' });
    await batch.finished();
    expect(sandbox.payouts()).toEqual([]);
  });
});

describe('a part of a list under another name', () => {
  const copyOf = (line: PayoutLine): PayoutLine => ({ ...line, key: `copy-${line.key}` });
  const problems = async (rows: readonly PayoutLine[]): Promise<readonly unknown[]> => {
    const copy = await running.batches.create(`${name}-copy`, rows.map(copyOf), { by: 'maker' });
    return (await copy.check({ by: 'maker' })).blockedLines.map((line) => line.problems);
  };

  it('is blocked for those whom the original paid, and paid again if somebody says why', async () => {
    await paid(name, lines);
    expect(await problems(lines.slice(0, 1))).toEqual([['same-recipient']]);
    const copy = await running.batches.open(`${name}-copy`);
    expect(await copy.accept(['copy-S-1'], { by: 'maker', because: 'a bonus' })).toBe(1);
    await copy.approve({ by: 'checker' });
    await copy.start({ by: 'maker' });
    await copy.finished();
    expect(sandbox.payouts()).toHaveLength(3);
  });

  it('is blocked for those whom the original may have paid', async () => {
    sandbox.next('POST /disbursements/bank', { reference: `${name}.S-1` }).dropBefore();
    await paid(name, lines);
    expect(await problems(lines.slice(0, 1))).toEqual([['same-recipient']]);
  });

  it('is not blocked for those whom the gateway refused to pay', async () => {
    sandbox
      .next('POST /disbursements/bank', { reference: `${name}.S-1` })
      .status(422, { code: 'INVALID_ACCOUNT' });
    await paid(name, lines);
    expect(await problems(lines.slice(0, 1))).toEqual([]);
  });
});

describe('a batch of the sandbox', () => {
  it('is none of the production', async () => {
    await approvedBatch(running.batches, name, lines);
    const production = await startBatchesApp({
      sandbox,
      storage: place.storage,
      options: { environment: 'production', apiKey: 'pk_live_demo', apiSecret: 'sk_live_demo' },
    });
    await expect(production.batches.open(name)).rejects.toMatchObject({ code: 'BATCH_NOT_FOUND' });
    await production.app.close();
  });
});
