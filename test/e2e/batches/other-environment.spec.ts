import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type PaymentsStorage, PaymentsStorageError } from 'nestjs-payments';
import { type BatchEngine, inProcess, type LineState, type PayoutBatch } from 'nestjs-payments/batches';
import { approvedBatch, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';
import { HandEngine } from '../../support/hand-engine.js';
import { PatientEngine } from '../../support/patient-engine.js';
import { libraryRandom } from '../../support/library-random.js';
import {
  SHOP,
  startTurningApp,
  type TurningApp,
  type TwoEnvironments,
  twoEnvironments,
} from '../../support/two-environments.js';

const OTHER_KEYS = { name: 'PaymentsAccountError', code: 'ACCOUNT_UNAVAILABLE', retryable: true };
const OF_SANDBOX =
  "This is work of the sandbox environment, and the keys that accounts.resolve returns for the account 'shop' are of another one";

describe('a batch whose account gets keys of the other environment', () => {
  let place: BatchesPlace;
  let gateway: TwoEnvironments;
  let names = 0;
  let warned: () => readonly string[];
  /** What the log says of the wait for keys. */
  let told: () => readonly string[];

  const start = async (
    environment: 'sandbox' | 'production',
    engine: BatchEngine,
    storage: PaymentsStorage = place.storage,
  ): Promise<TurningApp> => {
    const policy = { sameRecipientWithinDays: 0 };
    const started = await startTurningApp(gateway, storage, { environment, engine, policy, concurrency: 1 });
    onTestFinished(() => started.app.close());
    return started;
  };
  const loaded = ({ batches }: TurningApp, count: number): Promise<PayoutBatch> => {
    const lines = knownLines(place.sandbox, count, `${100 + names}`);
    return batches.create(`run-${names}`, lines, { by: 'maker', account: SHOP });
  };
  const approved = async (shop: TurningApp, count: number): Promise<PayoutBatch> => {
    const batch = await loaded(shop, count);
    await batch.check({ by: 'maker' });
    await batch.approve({ by: 'checker' });
    return batch;
  };
  const references = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `run-${names}.S-${index + 1}`);
  const waiting = (environment = 'sandbox'): string =>
    `The batch "run-${names}" of the account "shop" waits until accounts.resolve returns keys of the ${environment} environment.`;
  const continuing = (): string =>
    `The batch "run-${names}" of the account "shop" continues: accounts.resolve returns keys of the sandbox environment again.`;
  const states = async (batch: PayoutBatch): Promise<readonly LineState[]> => {
    const found: LineState[] = [];
    for await (const { state } of batch.lines()) found.push(state);
    return found;
  };

  beforeAll(async () => {
    place = await startBatchesPlace();
    gateway = await twoEnvironments(place.sandbox);
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    await place.database.clear();
    names += 1;
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    warned = () => warn.mock.calls.map(([line]) => String(line));
    const lines: string[] = [];
    const log = vi.spyOn(Logger.prototype, 'log').mockImplementation((line) => lines.push(String(line)));
    told = () => [...warned(), ...lines].filter((line) => line.includes('accounts.resolve returns keys of'));
    return () => {
      warn.mockRestore();
      log.mockRestore();
    };
  });
  afterAll(async () => {
    await gateway.close();
    await place.close();
  });

  it('sends no line with them, and continues when its keys are back', async () => {
    // Nobody waits long before work is tried again.
    const random = libraryRandom(() => 0);
    onTestFinished(() => {
      random.mockRestore();
    });
    const engine = new PatientEngine();
    const shop = await start('sandbox', engine);
    const batch = await approved(shop, 10);
    onTestFinished(
      place.sandbox.on('payout', () => {
        if (gateway.paidIn('sandbox').length === 6) shop.turn('production');
      }),
    );
    await batch.start({ by: 'maker' });
    const waits = async (): Promise<void> => {
      await eventually(() => {
        expect(engine.waiting).toBe(1);
      });
    };
    await waits();
    await engine.pass();
    await waits();
    expect(gateway.paidIn('sandbox')).toEqual(references(6));
    const waitReason = 'It waits until accounts.resolve returns keys of the sandbox environment.';
    expect(await batch.progress()).toMatchObject({ state: 'running', waitReason });
    for await (const seen of batch.watch()) {
      expect(seen).toMatchObject({ state: 'running', waitReason });
      break;
    }
    expect(told()).toEqual([waiting()]);
    shop.turn('sandbox');
    expect(await batch.progress()).not.toHaveProperty('waitReason');
    await engine.pass();
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 10 } } });
    expect([gateway.paidIn('sandbox'), gateway.paidIn('production')]).toEqual([references(10), []]);
    expect(told()).toEqual([waiting(), continuing()]);
  });

  it('is not accepted by the sandbox when it is one of production', async () => {
    const engine = new HandEngine(['check']);
    const shop = await start('production', engine);
    const batch = await approved(shop, 4);
    await batch.start({ by: 'maker' });
    shop.turn('sandbox');
    expect(await engine.run(engine.last)).toBe(false);
    expect(await states(batch)).toEqual(['checked', 'checked', 'checked', 'checked']);
    expect(told()).toEqual([waiting('production')]);
    shop.turn('production');
    expect(await engine.run(engine.last)).toBe(false);
    expect(await engine.run(engine.last)).toBe(true);
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 4 } } });
    expect([gateway.paidIn('sandbox'), gateway.paidIn('production')]).toEqual([[], references(4)]);
  });

  it.each([
    ['the last line', 1, 'paused'],
    ['a line', 4, 'running'],
  ])('sends nothing if they come right before %s is sent', async (_line, count, state) => {
    const engine = new HandEngine(['check']);
    let onMark: (() => void) | undefined;
    const storage = withBatches(place.storage, (store) => ({
      change: (load, changes) => {
        if (changes[0]?.to === 'sending') onMark?.();
        return store.change(load, changes);
      },
    }));
    const shop = await start('production', engine, storage);
    const batch = await approved(shop, count);
    await batch.start({ by: 'maker' });
    onMark = () => {
      shop.turn('sandbox');
      onMark = undefined;
    };
    await engine.run(engine.last).catch((error: unknown) => {
      expect(error).toMatchObject(OTHER_KEYS);
    });
    expect((await batch.progress()).state).toBe(state);
    expect(new Set(await states(batch))).toEqual(new Set(['sending']));
    // What a pause wakes waits for the keys, too.
    expect(await engine.run(engine.last)).toBe(false);
    expect((await batch.progress()).state).toBe(state);
    shop.turn('production');
    expect(await engine.run(engine.last)).toBe(false);
    expect(await engine.run(engine.last)).toBe(true);
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: count } } });
    expect([gateway.paidIn('sandbox'), gateway.paidIn('production')]).toEqual([[], references(count)]);
  });

  it('is not asked about with them, and none of its lines is called unpaid', async () => {
    const engine = new HandEngine(['check']);
    let isDead = false;
    const storage = withBatches(place.storage, (store) => ({
      change: (load, changes) =>
        isDead && changes[0]?.to !== 'sending'
          ? Promise.reject(new PaymentsStorageError('The process is dead.'))
          : store.change(load, changes),
    }));
    const shop = await start('production', engine, storage);
    const batch = await approved(shop, 1);
    await batch.start({ by: 'maker' });
    isDead = true;
    await expect(engine.run(engine.last)).rejects.toMatchObject({ message: 'The process is dead.' });
    isDead = false;
    shop.turn('sandbox');
    const opened = await shop.batches.open(batch.name, { account: SHOP, environment: 'production' });
    await opened.cancel({ by: 'maker' });
    expect(await batch.progress()).toMatchObject({ state: 'cancelled', byState: { sending: { lines: 1 } } });
    await expect(batch.askAgain()).rejects.toMatchObject(OTHER_KEYS);
    await expect(batch.settle('S-1', 'failed', { by: 'support' })).rejects.toMatchObject(OTHER_KEYS);
    expect(await states(batch)).toEqual(['sending']);
    const [reference = ''] = references(1);
    expect(await shop.accounts.for(SHOP).journal.get('disbursement', reference)).toBeUndefined();
    shop.turn('production');
    expect(await batch.askAgain()).toBe(1);
    expect(await states(batch)).toEqual(['accepted']);
    expect(gateway.paidIn('production')).toEqual([reference]);
  });

  it('begins nothing that would wait for its keys without a word', async () => {
    const engine = new HandEngine(['check']);
    const shop = await start('sandbox', engine);
    const batch = await loaded(shop, 1);
    shop.turn('production');
    await expect(batch.check({ by: 'maker' })).rejects.toMatchObject({
      ...OTHER_KEYS,
      message: expect.stringContaining(OF_SANDBOX) as string,
    });
    expect((await batch.progress()).state).toBe('loaded');
    shop.turn('sandbox');
    await batch.check({ by: 'maker' });
    await batch.approve({ by: 'checker' });
    shop.turn('production');
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject(OTHER_KEYS);
    expect((await batch.progress()).state).toBe('approved');
    shop.turn('sandbox');
    await batch.start({ by: 'maker' });
    shop.turn('production');
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject(OTHER_KEYS);
    await expect(batch.resume({ by: 'maker' })).rejects.toMatchObject(OTHER_KEYS);
    expect((await batch.progress()).state).toBe('running');
    await batch.pause({ by: 'maker' });
    await expect(batch.resume({ by: 'maker' })).rejects.toMatchObject(OTHER_KEYS);
    expect((await batch.progress()).state).toBe('paused');
    await expect(engine.run(engine.last)).resolves.toBe(false);
  });

  it('is not looked for where an option is misspelled', async () => {
    const { batches } = await start('sandbox', new HandEngine());
    const misspelled = { account: SHOP, enviroment: 'sandbox' } as object;
    const problem = { errors: { enviroment: ['enviroment does not exist: did you mean `environment`?'] } };
    await expect(batches.open('run', misspelled)).rejects.toMatchObject(problem);
    await expect(batches.list(misspelled)[Symbol.asyncIterator]().next()).rejects.toMatchObject(problem);
  });

  it('is not checked with them, whose caller hears of it, and its check continues when its keys are back', async () => {
    const engine = new HandEngine();
    let onJob: (() => void) | undefined;
    const storage = withBatches(place.storage, (store) => ({
      linesOf: (load, chunk) => {
        onJob?.();
        onJob = undefined;
        return store.linesOf(load, chunk);
      },
    }));
    const shop = await start('sandbox', engine, storage);
    const batch = await loaded(shop, 2);
    const ended = expect(batch.check({ by: 'maker' })).rejects.toMatchObject(OTHER_KEYS);
    await eventually(() => engine.last);
    onJob = () => {
      shop.turn('production');
    };
    await expect(engine.run(engine.last)).rejects.toMatchObject(OTHER_KEYS);
    expect(await engine.run(engine.last)).toBe(false);
    await ended;
    expect((await batch.progress()).state).toBe('checking');
    expect(await states(batch)).toEqual(['waiting', 'waiting']);
    shop.turn('sandbox');
    expect(await engine.run(engine.last)).toBe(false);
    expect(await engine.run(engine.last)).toBe(true);
    expect(await batch.check({ by: 'maker' })).toMatchObject({ lines: 2, blocked: 0 });
    expect(told()).toEqual([waiting(), continuing()]);
  });

  it('continues in a process that started with them, as soon as its keys are back', async () => {
    const first = await start('sandbox', new HandEngine(['check']));
    const batch = await approved(first, 2);
    await batch.start({ by: 'maker' });
    await first.app.close();
    const engine = new PatientEngine();
    const second = await start('production', engine);
    await eventually(() => {
      expect(engine.waiting).toBe(1);
    });
    second.turn('sandbox');
    await engine.pass();
    const opened = await second.batches.open(`run-${names}`, { account: SHOP });
    await eventually(async () => {
      expect(await opened.progress()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 2 } } });
    });
    expect(gateway.paidIn('production')).toEqual([]);
    expect(told()).toEqual([waiting(), continuing()]);
  });

  it('is found and cancelled without its keys, although nobody began it', async () => {
    const first = await start('sandbox', new HandEngine(['check']));
    const forgotten = (await approved(first, 1)).name;
    names += 1;
    const { name } = await approved(first, 2);
    const begun = await first.batches.open(name, { account: SHOP });
    await begun.start({ by: 'maker' });
    await first.app.close();

    const engine = new HandEngine();
    const second = await start('production', engine);
    await expect(second.batches.open(name, { account: SHOP })).rejects.toMatchObject({
      code: 'BATCH_NOT_FOUND',
    });
    const listed = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const batch of second.batches.list({ account: SHOP, environment: 'sandbox' })) {
        found.push(batch.name);
        const { state } = await batch.progress();
        if (state !== 'cancelled') await batch.cancel({ by: 'maker' });
      }
      return found;
    };
    await eventually(() => engine.last);
    expect(new Set(await listed())).toEqual(new Set([forgotten, name]));
    expect(await engine.run(engine.last)).toBe(false);
    second.turn('sandbox');
    const opened = await second.batches.open(name, { account: SHOP });
    expect(await opened.progress()).toMatchObject({ state: 'cancelled', byState: { checked: { lines: 2 } } });
    await expect(opened.resume({ by: 'maker' })).rejects.toMatchObject({ code: 'BATCH_STATE' });
    expect([gateway.paidIn('sandbox'), gateway.paidIn('production')]).toEqual([[], []]);
  });

  it('is found and cancelled if there are no keys of its account any more', async () => {
    const shop = await start('sandbox', new HandEngine(['check']));
    const { name } = await approved(shop, 1);
    shop.use(undefined);
    await expect(shop.batches.open(name, { account: SHOP })).rejects.toMatchObject({
      code: 'ACCOUNT_UNKNOWN',
    });
    const opened = await shop.batches.open(name, { account: SHOP, environment: 'sandbox' });
    await expect(opened.start({ by: 'maker' })).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
    await opened.cancel({ by: 'maker' });
    expect((await opened.progress()).state).toBe('cancelled');
  });

  it.each(['live', '', null])(
    'is not looked for in an environment that does not exist: %s',
    async (environment) => {
      const shop = await start('sandbox', new HandEngine());
      const where = { account: SHOP, environment: environment as never };
      const wrong = {
        name: 'PaymentsValidationError',
        errors: { environment: expect.any(Array) as unknown },
      };
      await expect(shop.batches.open('any', where)).rejects.toMatchObject(wrong);
      await expect(shop.batches.list(where)[Symbol.asyncIterator]().next()).rejects.toMatchObject(wrong);
    },
  );

  it('is paid with no keys of another environment that its account is registered with', async () => {
    const { sandbox, storage } = place;
    const first = await startBatchesApp({ sandbox, storage, engine: new HandEngine(['check']) });
    const { name } = await approvedBatch(first.batches, `run-${names}`, knownLines(sandbox, 1, '100'));
    await first.app.close();
    const live = { apiKey: 'pk_live_demo', apiSecret: 'sk_live_demo', baseUrl: gateway.baseUrl };
    const engine = new HandEngine();
    const second = await startBatchesApp({ sandbox, storage, engine, options: live });
    onTestFinished(() => second.app.close());
    const batch = await second.batches.open(name, { environment: 'sandbox' });
    const elsewhere = {
      code: 'ACCOUNT_UNKNOWN',
      retryable: false,
      message: expect.stringContaining(
        "the account 'default' is registered with keys of another one",
      ) as string,
    };
    await expect(batch.start({ by: 'maker' })).rejects.toMatchObject(elsewhere);
    await expect(batch.check({ by: 'maker' })).rejects.toMatchObject(elsewhere);
    await expect(batch.askAgain()).resolves.toBe(0);
    await expect(batch.settle('S-1', 'paid', { by: 'support' })).rejects.toMatchObject(elsewhere);
    await batch.cancel({ by: 'maker' });
    expect(await batch.progress()).toMatchObject({ state: 'cancelled', byState: { checked: { lines: 1 } } });
    expect([gateway.paidIn('sandbox'), gateway.paidIn('production')]).toEqual([[], []]);
  });

  it('is paid with renewed keys of its own environment, also after the gateway refused the earlier ones', async () => {
    const shop = await start('sandbox', inProcess());
    const batch = await approved(shop, 4);
    const merchant = place.sandbox.merchant('demo');
    let turns = 0;
    onTestFinished(
      place.sandbox.on('payout', () => {
        turns += 1;
        if (turns === 2) shop.use(merchant.rotateKeys());
        if (turns === 3) {
          shop.rotate(merchant.rotateKeys());
          merchant.revokeOldKeys();
        }
      }),
    );
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 4 } } });
    expect(gateway.paidIn('sandbox')).toEqual(references(4));
    expect(warned()).toEqual([]);
  });
});
