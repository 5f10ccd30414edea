import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsJournal, type PaymentsStorage, PaymentsStorageError } from 'nestjs-payments';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { type LineState } from '../../support/batch-contract.js';
import {
  approvedBatch,
  type BatchesApp,
  type BatchesAppOptions,
  knownLines,
  startBatchesApp,
} from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';

const PAYOUT = 'POST /disbursements/bank';
const WEEK_MS = 7 * 86_400_000;
/** What a person pays in another batch. */
const UNPAID: readonly LineState[] = ['checked', 'blocked', 'refused'];

/** A point of a run at which it stands still, once. */
class Gate {
  isReached = false;
  private open: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  async pass(): Promise<void> {
    if (this.isReached) return;
    this.isReached = true;
    await this.opened;
  }

  async reached(): Promise<void> {
    await eventually(() => {
      expect(this.isReached).toBe(true);
    });
  }

  goOn(): void {
    this.open();
  }
}

/** A storage of a run that stands still at a gate, and is killed before it writes what it sent. */
class FrozenRun {
  readonly gate = new Gate();
  private isDead = false;

  constructor(private readonly inner: PaymentsStorage) {}

  /** Before its call writes the first attempt of the payment down, or right after that, or before it writes the next attempt. */
  atJournal(when: 'before' | 'after' | 'before the next attempt' = 'before'): PaymentsStorage {
    const { journal } = this.inner;
    const { gate } = this;
    return this.mortal({
      ...this.inner,
      journal: Object.assign(Object.create(journal) as typeof journal, {
        insert: async (...args: Parameters<typeof journal.insert>) => {
          if (when === 'before') await gate.pass();
          const inserted = await journal.insert(...args);
          if (when === 'after') await gate.pass();
          return inserted;
        },
        replace: async (...args: Parameters<typeof journal.replace>) => {
          if (when === 'before the next attempt') await gate.pass();
          return journal.replace(...args);
        },
      }),
    });
  }

  /** Before it writes that lines were not sent: it looked at the journal before. */
  beforeRelease(): PaymentsStorage {
    return this.mortal(
      withBatches(this.inner, (store) => ({
        change: async (load, changes) => {
          if (changes.some(({ from, to }) => from[0] === 'sending' && UNPAID.includes(to)))
            await this.gate.pass();
          return store.change(load, changes);
        },
      })),
    );
  }

  /** Nothing that it writes of lines from now on reaches the storage. */
  kill(): void {
    this.isDead = true;
  }

  private mortal(storage: PaymentsStorage): PaymentsStorage {
    return withBatches(storage, (store) => ({
      change: (load, changes) =>
        this.isDead
          ? Promise.reject(new PaymentsStorageError('The process is dead.'))
          : store.change(load, changes),
    }));
  }
}

describe('a run that stands still while another one works on its lines, and is killed after it continued', () => {
  let place: BatchesPlace;
  let first: BatchesApp;
  let lines: readonly PayoutLine[];
  let names = 0;
  const name = (which = ''): string => `run-${names}${which}`;

  const start = (more: Partial<BatchesAppOptions> = {}): Promise<BatchesApp> =>
    startBatchesApp({ sandbox: place.sandbox, storage: place.storage, ...more });

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    names += 1;
    lines = knownLines(place.sandbox, 1, `${100 + names}`);
    first = await start();
    return () => first.app.close();
  });
  afterAll(() => place.close());

  const stateOf = async (batch: PayoutBatch): Promise<LineState | undefined> => {
    for await (const { state } of batch.lines()) return state;
    return undefined;
  };
  const sent = (): number =>
    place.sandbox.payouts().filter(({ reference }) => reference === `${name()}.S-1`).length;
  /** Begins or continues to pay a batch in a process that stands still. */
  const frozen = async (
    act: 'start' | 'resume',
    when?: Parameters<FrozenRun['atJournal']>[0],
  ): Promise<FrozenRun & { readonly end: () => Promise<void>; readonly close: () => Promise<void> }> => {
    const run = new FrozenRun(place.storage);
    const { app, batches } = await start({ storage: run.atJournal(when) });
    const seen = await batches.open(name());
    await seen[act]({ by: 'maker' });
    await run.gate.reached();
    const end = async (): Promise<void> => {
      run.kill();
      run.gate.goOn();
      await app.close();
    };
    return Object.assign(run, { end, close: () => app.close() });
  };
  /** A line that a person pays in another batch was never sent. */
  const expectTruth = async (batch: PayoutBatch, state: LineState): Promise<void> => {
    expect({ state: await stateOf(batch), sent: sent() }).toEqual({ state, sent: 0 });
  };

  it.each(['start', 'resume'] as const)(
    'sends nothing of a cancelled batch that says so, after a %s',
    async (act) => {
      const batch = await approvedBatch(first.batches, name(), lines);
      if (act === 'resume') {
        place.sandbox.next(PAYOUT).status(400, { code: 'INSUFFICIENT_BALANCE' });
        await batch.start({ by: 'maker' });
        expect((await batch.finished()).state).toBe('paused');
      }
      const run = await frozen(act, act === 'resume' ? 'before the next attempt' : 'before');
      await batch.cancel({ by: 'maker' });
      expect(await batch.askAgain()).toBe(1);
      const state = act === 'start' ? 'checked' : 'refused';
      expect(await stateOf(batch)).toBe(state);
      await run.end();
      await expectTruth(batch, state);
      // A person pays it in another batch.
      expect(await batch.askAgain()).toBe(0);
    },
  );

  /** A run that read the refusal of a line stands still before its next attempt, and the batch is cancelled. */
  const refusedOnce = async (): Promise<{ batch: PayoutBatch; run: Awaited<ReturnType<typeof frozen>> }> => {
    const batch = await approvedBatch(first.batches, name(), lines);
    place.sandbox.next(PAYOUT).status(400, { code: 'INSUFFICIENT_BALANCE' });
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).state).toBe('paused');
    const run = await frozen('resume', 'before the next attempt');
    await batch.cancel({ by: 'maker' });
    return { batch, run };
  };

  it('sends nothing of a line that somebody has settled as failed', async () => {
    const { batch, run } = await refusedOnce();
    await batch.settle('S-1', 'failed', { by: 'maker' });
    await run.end();
    await expectTruth(batch, 'failed');
    // A person pays it in another batch.
    expect(await batch.askAgain()).toBe(0);
  });

  it.each(['askAgain', 'settle'] as const)(
    'sends nothing once %s() has found that its payment was settled as failed in the journal',
    async (act) => {
      const { batch, run } = await refusedOnce();
      await first.app.get(PaymentsJournal).settle('disbursement', `${name()}.S-1`, 'failed');
      if (act === 'settle') await batch.settle('S-1', 'failed', { by: 'maker' });
      else expect(await batch.askAgain()).toBe(1);
      await run.end();
      await expectTruth(batch, 'failed');
    },
  );

  it('is found by askAgain() if it sent a line that was called failed, and gave nothing up', async () => {
    const { batch, run } = await refusedOnce();
    const { load } = (await place.store.get({ account: 'default', environment: 'sandbox', batch: name() }))!
      .record;
    await place.store.change(load, [{ number: 1, from: ['sending'], to: 'failed' }]);
    await run.end();
    expect(sent()).toBe(1);
    expect(await batch.askAgain()).toBe(1);
    expect(await stateOf(batch)).toBe('accepted');
  });

  it('sends nothing of a line that was blocked because another batch has paid its recipient', async () => {
    const other = await approvedBatch(
      first.batches,
      name('-b'),
      lines.map((line) => ({ ...line, key: 'copy' })),
    );
    const batch = await approvedBatch(first.batches, name(), lines);
    const run = await frozen('start');
    const { load } = (await place.store.get({
      account: 'default',
      environment: 'sandbox',
      batch: name('-b'),
    }))!.record;
    await place.store.change(load, [{ number: 1, from: ['checked'], to: 'accepted' }]);
    expect(await stateOf(other)).toBe('accepted');
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).state).toBe('ended');
    expect(await stateOf(batch)).toBe('blocked');
    await run.end();
    await expectTruth(batch, 'blocked');
  });

  it('sends nothing of a line that another run could not send with its options', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const run = await frozen('start');
    const strict = await start({ options: { limits: { disbursement: { max: '1' } } } });
    const same = await strict.batches.open(name());
    await same.start({ by: 'maker' });
    expect((await same.finished()).state).toBe('ended');
    await run.end();
    await strict.app.close();
    await expectTruth(batch, 'refused');
  });

  it('leaves the next attempt of a line to the run that has taken the line over since', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const { load } = (await place.store.get({ account: 'default', environment: 'sandbox', batch: name() }))!
      .record;
    const { result } = (await place.store.line(load, 'S-1'))!;
    const take = (from: LineState, mark: string): Promise<unknown> =>
      place.store.change(load, [
        {
          number: 1,
          from: [from],
          to: 'sending',
          result: JSON.stringify({ ...(JSON.parse(result) as object), mark }),
        },
      ]);
    await take('checked', 'of a process that died');
    let looks = 0;
    const strict = await start({
      options: { limits: { disbursement: { max: '1' } } },
      storage: withBatches(place.storage, (store) => ({
        line: async (...args) => {
          looks += 1;
          // The first look is at its own mark, the second one follows the call that it could not make.
          if (looks === 2) await take('sending', 'of another run');
          return store.line(...args);
        },
      })),
    });
    const same = await strict.batches.open(name());
    await same.start({ by: 'maker' });
    await eventually(() => {
      expect(looks).toBe(2);
    });
    await strict.app.close();
    expect(await stateOf(batch)).toBe('sending');
    expect(await first.app.get(PaymentsJournal).get('disbursement', `${name()}.S-1`)).toBeUndefined();
  });

  it('is the one to say that the gateway has refused a line, if it has written it down', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const run = await frozen('start', 'after');
    let looks = 0;
    const other = await start({
      storage: withBatches(place.storage, (store) => ({
        chunksIn: async (load, states, page) => {
          const chunks = await store.chunksIn(load, states, page);
          // It does so at the end of its job.
          if (page.limit === 1) looks += 1;
          return chunks;
        },
      })),
    });
    await (await other.batches.open(name())).start({ by: 'maker' });
    await eventually(() => {
      expect(looks).toBeGreaterThan(0);
    });
    place.sandbox.next(PAYOUT).status(422, { code: 'INVALID_ACCOUNT' });
    run.gate.goOn();
    await run.close();
    expect({ state: await stateOf(batch), sent: sent() }).toEqual({ state: 'refused', sent: 0 });
    await other.app.close();
  });

  /** A run a week later takes a line back, because it cannot look it up. */
  const takeBack = async (batch: PayoutBatch): Promise<void> => {
    place.sandbox.next('POST /disbursements/name-lookup').html(500).times(99);
    const late = await start({ now: () => Date.now() + WEEK_MS });
    const same = await late.batches.open(name());
    await same.start({ by: 'maker' });
    expect((await same.finished()).state).toBe('paused');
    expect(await stateOf(batch)).toBe('checked');
    await late.app.close();
  };

  it('never calls a line refused that the next run sends, which is killed, too', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const run = await frozen('start');
    await takeBack(batch);
    const next = await frozen('resume');
    run.gate.goOn();
    await run.close();
    await next.end();
    expect({ state: await stateOf(batch), sent: sent() }).toEqual({ state: 'sending', sent: 1 });
  });

  it('sends nothing of a line that waits for a lookup', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const run = await frozen('start');
    await takeBack(batch);
    await run.end();
    await expectTruth(batch, 'checked');
    await place.sandbox.reset();
    // Nothing is lost: the next run sends it, as the next attempt.
    await batch.resume({ by: 'maker' });
    expect((await batch.finished()).state).toBe('ended');
    expect({ state: await stateOf(batch), sent: sent() }).toEqual({ state: 'accepted', sent: 1 });
  });

  it('never takes back the mark of the next run, which has sent the line and was killed, too', async () => {
    const batch = await approvedBatch(first.batches, name(), lines);
    const slow = new FrozenRun(place.storage);
    const marking = new Gate();
    const storage = withBatches(slow.beforeRelease(), (store) => ({
      change: async (load, changes) => {
        const changed = await store.change(load, changes);
        if (changes[0]?.to === 'sending') await marking.pass();
        return changed;
      },
    }));
    const { app, batches } = await start({ storage });
    await (await batches.open(name())).start({ by: 'maker' });
    await marking.reached();
    await batch.pause({ by: 'maker' });
    marking.goOn();
    await slow.gate.reached();
    const next = new FrozenRun(place.storage);
    const killed = await start({ storage: next.atJournal() });
    await (await killed.batches.open(name())).resume({ by: 'maker' });
    await next.gate.reached();
    next.kill();
    next.gate.goOn();
    await killed.app.close();
    expect(sent()).toBe(1);
    slow.gate.goOn();
    await app.close();
    expect(await stateOf(batch)).toBe('sending');
  });
});
