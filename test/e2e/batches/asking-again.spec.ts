import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LineState, type PayoutBatch } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

const PROBE_MS = 60_000;

describe('a line whose answer was lost', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let name: string;
  let batch: PayoutBatch;
  let names = 0;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      policy: { sameRecipientWithinDays: 0 },
      options: { probe: { disbursements: { afterAnswerMs: PROBE_MS, afterSilenceMs: PROBE_MS } } },
    });
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    name = `run-${names}`;
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  /** The first of two lines meets the fault. */
  const withFault = async (
    plan: (fault: ReturnType<BatchesPlace['sandbox']['next']>) => void,
  ): Promise<void> => {
    const reference = `${name}.S-1`;
    batch = await approvedBatch(running.batches, name, knownLines(place.sandbox, 2, `${100 + names}`));
    plan(place.sandbox.next('POST /disbursements/bank', { reference }));
    await batch.start({ by: 'maker' });
    await batch.finished();
  };
  /** Lets the payments of the journal be ten minutes older: the database's clock cannot be turned. */
  const pass = async (): Promise<void> => {
    const columns = ['created_at', 'updated_at', 'attempt_at', 'lease_until'];
    const changes = columns.map((column) => `${column} = ${column} - interval '10 minutes'`);
    await place.database.pool.query(`UPDATE payments_journal SET ${changes.join(', ')}`);
  };
  const states = async (): Promise<readonly LineState[]> => {
    const found: LineState[] = [];
    for await (const { state } of batch.lines()) found.push(state);
    return found;
  };
  const sent = (): readonly string[] =>
    place.sandbox
      .payouts()
      .map(({ reference }) => reference)
      .sort();
  const both = (): readonly string[] => [`${name}.S-1`, `${name}.S-2`];

  it('is sent by the probe if the gateway never had it, and not before the probe is due', async () => {
    await withFault((fault) => fault.dropBefore());
    expect(await states()).toEqual(['unknown', 'accepted']);
    expect(await batch.askAgain()).toBe(0);
    expect(sent()).toEqual([`${name}.S-2`]);
    await pass();
    expect(await batch.askAgain()).toBe(1);
    expect(await states()).toEqual(['accepted', 'accepted']);
    expect(sent()).toEqual(both());
  });

  it('stays unknown if the gateway has it already, and is paid once', async () => {
    await withFault((fault) => fault.dropAfterProcessing());
    await pass();
    expect(await batch.askAgain()).toBe(0);
    expect(await states()).toEqual(['unknown', 'accepted']);
    expect(sent()).toEqual(both());
  });

  it('stays unknown if the gateway refuses the keys, or wants fewer requests, when it is asked', async () => {
    await withFault((fault) => fault.dropAfterProcessing());
    for (const status of [401, 429] as const) {
      await pass();
      place.sandbox.next('POST /disbursements/bank', { reference: `${name}.S-1` }).status(status);
      expect(await batch.askAgain()).toBe(0);
      expect(await states()).toEqual(['unknown', 'accepted']);
    }
    expect(sent()).toEqual(both());
  });

  it('is asked about with the same words and key, whatever the holder is called by then', async () => {
    await withFault((fault) => fault.dropBefore());
    const [first] = knownLines(place.sandbox, 1);
    place.sandbox.directory.register(String(first?.account_number), 'Somebody Else');
    await pass();
    await batch.askAgain();
    const calls = place.sandbox
      .requests()
      .filter(({ body }) => JSON.stringify(body).includes(`${name}.S-1`))
      .map(({ body, headers }) => [body, headers['idempotency-key']]);
    expect(calls).toHaveLength(2);
    expect(calls[1]).toEqual(calls[0]);
  });

  it('is not sent if somebody settled it as failed right before it was asked about', async () => {
    await withFault((fault) => fault.dropBefore());
    await pass();
    const { get } = running.journal;
    vi.spyOn(running.journal, 'get').mockImplementationOnce(async (family, reference) => {
      const entry = await get.call(running.journal, family, reference);
      await batch.settle('S-1', 'failed', { by: 'support' });
      return entry;
    });
    expect(await batch.askAgain()).toBe(0);
    expect(sent()).toEqual([`${name}.S-2`]);
    expect(await states()).toEqual(['failed', 'accepted']);
  });

  it.each([
    ['it is asked about', 'accepted', () => batch.askAgain()],
    ['somebody settles it', 'paid', () => batch.settle('S-1', 'paid', { by: 'support' })],
  ])(
    'has its fee, and no words about the lost answer, when recovery has paid it and %s',
    async (_when, state, act) => {
      await withFault((fault) => fault.dropBefore());
      await pass();
      await running.journal.recover();
      await act();
      const [{ fee } = { fee: '' }] = place.sandbox.payouts();
      expect(Number(fee)).toBeGreaterThan(0);
      for await (const line of batch.lines({ state: state as LineState })) {
        if (line.key === 'S-1') expect(line).toMatchObject({ state, fee, detail: '' });
      }
      expect((await states())[0]).toBe(state);
    },
  );

  it('has no words about the lost answer any more when somebody settled it as failed', async () => {
    await withFault((fault) => fault.dropBefore());
    await batch.settle('S-1', 'failed', { by: 'support' });
    const details: unknown[] = [];
    for await (const { state, detail } of batch.lines()) details.push([state, detail]);
    expect(details).toEqual([
      ['failed', ''],
      ['accepted', ''],
    ]);
  });

  it('is never sent again once somebody settled it, whatever it was', async () => {
    for (const outcome of ['paid', 'failed'] as const) {
      names += 1;
      name = `run-${names}`;
      await withFault((fault) => fault.dropAfterProcessing());
      await batch.settle('S-1', outcome, { by: 'support' });
      // The bank has returned the other one.
      await batch.settle('S-2', 'failed', { by: 'support' });
      await pass();
      expect(await batch.askAgain()).toBe(0);
      expect(await states()).toEqual([outcome, 'failed']);
      expect(sent().filter((reference) => reference.startsWith(`${name}.`))).toEqual(both());
    }
  });

  it('cannot be settled if it was never sent', async () => {
    batch = await approvedBatch(running.batches, name, knownLines(place.sandbox, 2, `${100 + names}`));
    await expect(batch.settle('S-1', 'paid', { by: 'support' })).rejects.toMatchObject({
      code: 'ENTRY_NOT_FOUND',
    });
    expect(await states()).toEqual(['checked', 'checked']);
  });
});
