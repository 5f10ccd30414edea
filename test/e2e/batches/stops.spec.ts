import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BatchProgress, type PayoutBatch } from 'nestjs-payments/batches';
import { type BatchStore } from '../../support/batch-contract.js';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { PatientEngine } from '../../support/patient-engine.js';

describe('a batch that cannot be paid now', () => {
  const engine = new PatientEngine();
  let place: BatchesPlace;
  let running: BatchesApp;
  let name: string;
  let names = 0;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      engine,
      policy: { sameRecipientWithinDays: 0, resumeAfterTopUp: true },
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

  const begun = async (amount = `${100 + names}`, count = 3): Promise<PayoutBatch> => {
    const batch = await approvedBatch(running.batches, name, knownLines(place.sandbox, count, amount));
    await batch.start({ by: 'maker' });
    return batch;
  };
  const progressOf = async (): Promise<BatchProgress> => (await running.batches.open(name)).progress();
  const sent = (): number => place.sandbox.payouts().length;
  const allPaid = async (batch: PayoutBatch): Promise<void> => {
    const { state, byState } = await batch.finished();
    expect([state, Object.keys(byState), byState.accepted?.lines]).toEqual(['ended', ['accepted'], 3]);
    expect(sent()).toBe(3);
  };

  it('waits a moment if the gateway asks for fewer payments', async () => {
    place.sandbox.next('POST /disbursements/bank').status(429, { retryAfter: 1 });
    await allPaid(await begun());
  });

  it('waits a moment if the gateway asks for fewer lookups', async () => {
    place.sandbox.next('POST /disbursements/name-lookup').status(429, { retryAfter: 1 });
    const batch = await running.batches.create(name, knownLines(place.sandbox, 3, `${100 + names}`), {
      by: 'maker',
    });
    expect(await batch.check({ by: 'maker' })).toMatchObject({ blocked: 0 });
  });

  it('pauses if the keys are wrong when it looks recipients up again that were checked too long ago', async () => {
    let now = Date.now();
    const { sandbox, storage } = place;
    const later = await startBatchesApp({ sandbox, storage, now: () => now });
    const batch = await approvedBatch(later.batches, name, knownLines(sandbox, 3, `${100 + names}`));
    now += 2 * 86_400_000;
    sandbox.next('POST /disbursements/name-lookup').status(401).times(3);
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({ state: 'paused', byState: { checked: { lines: 3 } } });
    await batch.resume({ by: 'maker' });
    await allPaid(batch);
    await later.app.close();
  });

  describe('when recipients are looked up again that were checked too long ago', () => {
    const LOOKUP = 'POST /disbursements/name-lookup';
    const patient = new PatientEngine();
    let now = Date.now();
    let later: BatchesApp;

    beforeAll(async () => {
      later = await startBatchesApp({
        sandbox: place.sandbox,
        storage: place.storage,
        engine: patient,
        concurrency: 1,
        now: () => now,
        policy: { sameRecipientWithinDays: 0 },
        options: { retry: { maxAttempts: 1 } },
      });
    });
    afterAll(() => later.app.close());

    /**
     * Started three days after its approval. The gateway gives no usable answer to so many lookups then, answers so many, and so
     * on.
     */
    const begunLater = async (count: number, ...plan: readonly number[]): Promise<PayoutBatch> => {
      const lines = knownLines(place.sandbox, count, `${100 + names}`);
      const batch = await approvedBatch(later.batches, name, lines);
      now += 3 * 86_400_000;
      for (const [index, lookups] of plan.entries()) {
        const next = place.sandbox.next(LOOKUP);
        (index % 2 === 0 ? next.html(502) : next.delay(0)).times(lookups);
      }
      await batch.start({ by: 'maker' });
      return batch;
    };
    const actions = async (batch: PayoutBatch): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { action } of batch.audit()) found.push(action);
      return found;
    };

    /** Lets the batch look again by itself. */
    const looksAgain = async (batch: PayoutBatch): Promise<void> => {
      const resumed = async (): Promise<number> =>
        (await actions(batch)).filter((each) => each === 'resume').length;
      const before = await resumed();
      await expect.poll(() => patient.waiting, { interval: 5 }).toBeGreaterThan(0);
      await patient.pass();
      await expect.poll(resumed, { interval: 5 }).toBe(before + 1);
    };
    const reason = (text: string): unknown => expect.stringContaining(text) as unknown;

    it('pauses if the gateway is away, and continues by itself', async () => {
      const batch = await begunLater(3, 15);
      for (let looks = 0; looks < 5; looks += 1) {
        expect(await batch.finished()).toMatchObject({
          state: 'paused',
          pauseReason: reason('these lines were not sent: S-1, S-2, S-3. They are looked up again'),
          byState: { checked: { lines: 3 } },
        });
        await looksAgain(batch);
      }
      await allPaid(batch);
    });

    it('pays the others if the gateway stumbles over one recipient, and asks again by itself', async () => {
      const batch = await begunLater(3, 1);
      expect(await batch.finished()).toMatchObject({
        state: 'paused',
        pauseReason: reason('these lines were not sent: S-1.'),
        byState: { checked: { lines: 1 }, accepted: { lines: 2 } },
      });
      await looksAgain(batch);
      await allPaid(batch);
    });

    it('waits for a person in the end if it stumbles over the same recipients for half an hour', async () => {
      const batch = await begunLater(3, 2, 1, 2 * 60);
      const left = { checked: { lines: 2 }, accepted: { lines: 1 } };
      for (let looks = 0; looks < 60; looks += 1) {
        expect(await batch.finished()).toMatchObject({ state: 'paused', byState: left });
        await looksAgain(batch);
      }
      expect(await batch.finished()).toMatchObject({
        state: 'paused',
        pauseReason: reason('these lines were not sent: S-1, S-2. Resume the batch'),
        byState: left,
      });
      expect(patient.waiting).toBe(0);
      await batch.resume({ by: 'maker' });
      await allPaid(batch);
    });

    it('pays the chunks behind that recipient, too, and asks again meanwhile', async () => {
      const batch = await begunLater(101, 1);
      expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 101 } } });
      expect(await actions(batch)).not.toContain('pause');
    });

    it('pays the chunks behind a whole chunk of such recipients, too, and names some of those', async () => {
      const batch = await begunLater(150, 100, 50, 100);
      expect(await batch.finished()).toMatchObject({
        state: 'paused',
        pauseReason: reason('S-9, S-10 and 90 others.'),
        byState: { checked: { lines: 100 }, accepted: { lines: 50 } },
      });
      await looksAgain(batch);
      expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 150 } } });
    });
  });

  it('pauses if the keys are wrong, and calls nothing refused', async () => {
    const batch = await approvedBatch(running.batches, name, knownLines(place.sandbox, 3, `${100 + names}`));
    place.sandbox.next('POST /disbursements/bank').status(401).times(3);
    await batch.start({ by: 'maker' });
    const { state, byState, pauseReason } = await batch.finished();
    expect(state).toBe('paused');
    expect(byState).not.toHaveProperty('unknown');
    expect(byState).not.toHaveProperty('refused');
    expect(sent()).toBe(0);
    expect(pauseReason).toMatch(/credentials|keys/);
    expect(engine.waiting).toBe(0);
    await batch.resume({ by: 'maker' });
    await allPaid(batch);
  });

  it('waits for a person if keys stay refused after an answer that proves nothing', async () => {
    const batch = await approvedBatch(running.batches, name, knownLines(place.sandbox, 1, `${100 + names}`));
    place.sandbox.next('POST /disbursements/bank').status(403, { code: 'IP_NOT_ALLOWED' }).times(2);
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).state).toBe('paused');
    await batch.resume({ by: 'maker' });
    expect((await batch.finished()).state).toBe('paused');
    expect(engine.waiting).toBe(0);
    await batch.resume({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 1 } } });
  });

  it('continues by itself when the wallet holds enough again, and not before', async () => {
    place.sandbox.next('POST /disbursements/bank').status(402, { code: 'INSUFFICIENT_BALANCE' }).times(3);
    const batch = await begun();
    expect((await batch.finished()).state).toBe('paused');
    await expect.poll(() => engine.waiting).toBeGreaterThan(0);
    // Another payment takes what the wallet holds.
    const [other] = knownLines(place.sandbox, 1);
    await running.disbursements.bank({
      reference: `other-${names}`,
      amount: '99999000',
      remarks: 'Something else',
      bank_code: String(other?.bank_code),
      account_number: String(other?.account_number),
      account_name: String(other?.name),
    });
    await engine.pass();
    await expect.poll(() => engine.waiting).toBeGreaterThan(0);
    expect((await batch.progress()).state).toBe('paused');
    expect(sent()).toBe(1);
    await place.sandbox.payout(`other-${names}`).fail();
    await engine.pass();
    await expect.poll(async () => (await batch.progress()).state).toBe('ended');
    expect((await batch.progress()).byState).toMatchObject({ accepted: { lines: 3 } });
    expect(sent()).toBe(4);
  });

  it('is held by somebody while it waits to continue by itself', async () => {
    place.sandbox.next('POST /disbursements/bank').status(402, { code: 'INSUFFICIENT_BALANCE' }).times(3);
    const batch = await begun();
    expect((await batch.finished()).state).toBe('paused');
    await expect.poll(() => engine.waiting).toBeGreaterThan(0);
    await batch.pause({ by: 'checker' });
    expect((await batch.progress()).pauseReason).toBe('Paused by checker.');
    await engine.pass();
    await batch.pause({ by: 'checker' });
    expect(await batch.progress()).toMatchObject({ state: 'paused', pauseReason: 'Paused by checker.' });
    expect(sent()).toBe(0);
    await batch.resume({ by: 'maker' });
    await allPaid(batch);
  });

  it.each<[when: string, isAtWake: boolean, hooked: (happens: () => Promise<void>) => Partial<BatchStore>]>([
    [
      'while it looks whether it may continue',
      true,
      (happens) => ({ counts: (load) => happens().then(() => place.store.counts(load)) }),
    ],
    [
      'while it finds out that the wallet holds too little',
      false,
      (happens) => ({
        change: async (load, changes) => {
          if (changes.some(({ to }) => to === 'checked')) await happens();
          return place.store.change(load, changes);
        },
      }),
    ],
  ])('stays as somebody wants it who pauses it %s', async (_when, isAtWake, hooked) => {
    let isAwaited = false;
    const happens = async (): Promise<void> => {
      if (!isAwaited) return;
      isAwaited = false;
      await (await running.batches.open(name)).pause({ by: 'checker' });
    };
    const patient = new PatientEngine();
    const other = await startBatchesApp({
      sandbox: place.sandbox,
      storage: withBatches(place.storage, () => hooked(happens)),
      engine: patient,
      policy: { sameRecipientWithinDays: 0, resumeAfterTopUp: true },
    });
    place.sandbox.next('POST /disbursements/bank').status(402, { code: 'INSUFFICIENT_BALANCE' }).times(3);
    const batch = await approvedBatch(other.batches, name, knownLines(place.sandbox, 3, `${100 + names}`));
    isAwaited = !isAtWake;
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).state).toBe('paused');
    if (isAtWake) await expect.poll(() => patient.waiting).toBeGreaterThan(0);
    isAwaited = isAtWake;
    await patient.pass();
    await other.app.close();
    expect(isAwaited).toBe(false);
    expect(await progressOf()).toMatchObject({ state: 'paused', pauseReason: 'Paused by checker.' });
    expect(sent()).toBe(0);
  });

  it('cannot be approved or started before its check', async () => {
    const batch = await running.batches.create(name, knownLines(place.sandbox, 3, `${100 + names}`), {
      by: 'maker',
    });
    await expect(batch.approve({ by: 'checker' })).rejects.toMatchObject({ code: 'BATCH_BLOCKED' });
    await expect(batch.approve({ by: 'checker', withoutBlocked: true })).rejects.toMatchObject({
      code: expect.stringMatching(/^BATCH_(BLOCKED|STATE)$/) as unknown,
    });
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_STATE' });
    expect(sent()).toBe(0);
  });

  it('says at its check that the wallet holds too little', async () => {
    const batch = await running.batches.create(name, knownLines(place.sandbox, 3, '90000000'), {
      by: 'maker',
    });
    const { balanceProblem, balance } = await batch.check({ by: 'maker' });
    expect(balance).toBe('100000000.00');
    expect(balanceProblem).toMatch(/holds/);
  });

  // The last one, because this process does not call the gateway for an hour then.
  it('pauses if the gateway asks for an hour, and the next process sends what was turned away', async () => {
    place.sandbox.next('POST /disbursements/bank').status(429, { retryAfter: 3600 });
    const batch = await begun();
    const { state, byState } = await batch.finished();
    expect(state).toBe('paused');
    expect(byState).toMatchObject({ sending: { lines: 1 } });
    expect(byState).not.toHaveProperty('unknown');
    expect(sent()).toBeLessThan(3);
    const next = await startBatchesApp({ sandbox: place.sandbox, storage: place.storage });
    const reopened = await next.batches.open(name);
    await reopened.resume({ by: 'maker' });
    await allPaid(reopened);
    await next.app.close();
  });
});
