import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveOptions } from '../../../../lib/config/resolve-options.js';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { aesGcm } from '../../../../lib/storage/sealed/aes-gcm.js';
import { type Encryption } from '../../../../lib/storage/sealed/encryption.js';
import { oneEncryption } from '../../../../lib/storage/sealed/encryption-list.js';
import { envelope, type EnvelopeOptions } from '../../../../lib/storage/sealed/envelope.js';
import { type KeyManagementService } from '../../../../lib/storage/sealed/key-management.js';
import { type BatchStore } from '../../../../lib/storage/batch-store.js';
import { sealedBatches } from '../../../../lib/storage/sealed/sealed-batches.js';
import { sealedStorage } from '../../../../lib/storage/sealed/sealed-storage.js';
import { ValueSealer } from '../../../../lib/storage/sealed/value-sealer.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { fakePerformance } from '../../../support/fake-performance.js';
import { eventually } from '../../../support/eventually.js';

const fingerprintKey = randomBytes(32);
/** Fields of `journalRecord()` that are sealed. */
const FIELDS = 2;
const PLACE = ['journal', 'default', 'body'];
const HOUR_MS = 3_600_000;

/** A key service in this process: it remembers what it wrapped. */
class KeyService implements KeyManagementService {
  readonly calls: string[] = [];
  readonly contexts: unknown[] = [];
  /** What happens before the answer. */
  before: (id: string, signal: AbortSignal) => Promise<void> | void = () => undefined;
  readonly gone = new Set<string>();
  private readonly dataKeys: { readonly key: string; readonly bytes: Buffer }[] = [];

  async wrap({ key, dataKey, context, signal }: Parameters<KeyManagementService['wrap']>[0]) {
    this.calls.push(`wrap ${key}`);
    this.contexts.push(context);
    const bytes = Buffer.from(dataKey);
    await this.before(key, signal);
    if (this.gone.has(key)) return 'gone';
    return Buffer.from([this.dataKeys.push({ key, bytes })]);
  }

  async unwrap({ key, wrapped, context, signal }: Parameters<KeyManagementService['unwrap']>[0]) {
    this.calls.push(`unwrap ${key}`);
    this.contexts.push(context);
    await this.before(key, signal);
    const found = this.dataKeys[(wrapped[0] ?? 0) - 1];
    return found?.key !== key || this.gone.has(key) ? 'gone' : Buffer.from(found.bytes);
  }
}

let kms: KeyService;
let passed = 0;
const realNow = performance.now.bind(performance);
beforeEach(() => {
  kms = new KeyService();
  passed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passed);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const OPTIONS = { keys: { a: 'key-a', b: 'key-b' }, current: 'a', fingerprintKey };
const make = (options: Partial<EnvelopeOptions> = {}): Encryption =>
  envelope({ kms, ...OPTIONS, ...options }) as Encryption;
const sealer = (options: Partial<EnvelopeOptions> = {}): ValueSealer => new ValueSealer(make(options));
const away = (): void => {
  kms.before = () => Promise.reject(Object.assign(new Error('secret address'), { code: 'ECONNREFUSED' }));
};
const textOf = async (one: ValueSealer, sealed: string): Promise<string | undefined> =>
  (await one.open(sealed, PLACE, 'body')).text;
/** Lets what nobody waits for happen. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('envelope()', () => {
  it('calls the key service once for any number of values, and never to open what it sealed itself', async () => {
    const one = sealer();
    const sealed = await Promise.all(Array.from({ length: 500 }, (_, at) => one.seal(`{"n":${at}}`, PLACE)));
    for (const [at, text] of sealed.entries()) expect(await textOf(one, text)).toBe(`{"n":${at}}`);
    expect(kms.calls).toEqual(['wrap key-a']);
    expect(new Set(sealed.map((text) => text.split(':')[2])).size).toBe(1);
  });

  it('opens what another process sealed with one call for each data key, also for those who ask at once', async () => {
    const [first, second] = [await sealer().seal('{"n":1}', PLACE), await sealer().seal('{"n":2}', PLACE)];
    const other = sealer();
    const asked = Array.from({ length: 50 }, (_, at) => textOf(other, at % 2 ? first : second));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['{"n":1}', '{"n":2}']));
    expect(kms.calls.filter((call) => call.startsWith('unwrap'))).toHaveLength(2);
    expect(kms.contexts.every((context) => JSON.stringify(context) === JSON.stringify(kms.contexts[0]))).toBe(
      true,
    );
  });

  it('opens in no other place, and not with the data key of another value', async () => {
    const one = sealer();
    const sealed = await one.seal('{}', PLACE);
    expect((await one.open(sealed, ['journal', 'other', 'body'], 'body')).problem).toContain('does not open');
    const another = await sealer().seal('{}', PLACE);
    const mixed = [...another.split(':').slice(0, 3), sealed.split(':')[3]].join(':');
    expect((await one.open(mixed, PLACE, 'body')).problem).toContain('does not open');
    const renamed = sealed.replace(':a~', ':b~');
    expect((await one.open(renamed, PLACE, 'body')).problem).toContain('the key "b"');
  });

  it.each([
    ['answers with an error', away],
    [
      'does not answer',
      () => {
        kms.before = () => new Promise(() => undefined);
      },
    ],
    [
      'opens nonsense',
      () => {
        kms.unwrap = () => Promise.resolve(randomBytes(31));
      },
    ],
    [
      'forgets to return',
      () => {
        kms.unwrap = () => Promise.resolve(undefined as never);
      },
    ],
  ])('says nothing about a value if the key service %s, and opens it afterwards', async (_how, fail) => {
    const sealed = await sealer().seal('{}', PLACE);
    const unwrap = kms.unwrap.bind(kms);
    const other = sealer({ timeoutMs: 20 });
    fail();
    const failure: unknown = await other.open(sealed, PLACE, 'body').catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'PaymentsStorageError', mayHaveBeenProcessed: 'not-by-this-call' });
    expect(inspect(failure)).not.toContain('secret address');
    kms.before = () => undefined;
    kms.unwrap = unwrap;
    passed += 1_000;
    // Within twenty milliseconds a busy machine does not always ask.
    await expect.poll(() => textOf(other, sealed)).toBe('{}');
  });

  it('calls a value damaged only while the key service says that its key is gone', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const sealed = await sealer().seal('{}', PLACE);
    const other = sealer();
    kms.gone.add('key-a');
    expect((await other.open(sealed, PLACE, 'body')).problem).toContain('the key "a"');
    await expect(other.seal('{}', PLACE)).rejects.toThrow('no usable key "a" to seal with');
    kms.gone.clear();
    expect(await textOf(other, sealed)).toBe('{}');
    expect(await other.seal('{}', PLACE)).toContain('sealed:1:a~');
  });

  it('asks the key service about no id that the options do not name', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const sealed = await sealer().seal('{}', PLACE);
    const problem = async (text: string) => (await sealer().open(text, PLACE, 'body')).problem;
    const before = kms.calls.length;
    expect(await problem(sealed.replace(':a~', ':x~'))).toContain('the key "x"');
    expect(await problem(sealed.replace(/:a~[^:]+/, ':a'))).toContain('the key "a"');
    expect(await problem(sealed.replace(':a~', ':__proto__~'))).toContain('the key "__proto__"');
    expect(kms.calls).toHaveLength(before);
  });

  it('makes the next data key after so many values, or such a time, without letting a caller wait', async () => {
    const one = sealer({ maxUses: 10 });
    const names = new Set<string | undefined>();
    for (let at = 0; at < 30; at += 1) {
      names.add((await one.seal('{}', PLACE)).split(':')[2]);
      await settle();
    }
    expect(names.size).toBe(3);
    const aged = make();
    const first = await aged.sealingKey();
    passed += HOUR_MS;
    expect(aged.sealingKey()).toMatchObject({ name: first.name });
    await settle();
    expect((await aged.sealingKey()).name).not.toBe(first.name);
  });

  it('continues with the data keys in memory while the key service is away, and says so once', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const foreign = await sealer().seal('{"n":1}', PLACE);
    const one = sealer();
    const own = await one.seal('{"n":2}', PLACE);
    await textOf(one, foreign);
    away();
    passed += 1.9 * HOUR_MS;
    for (let at = 0; at < 3; at += 1) {
      expect(await textOf(one, await one.seal('{"n":3}', PLACE))).toBe('{"n":3}');
      expect([await textOf(one, own), await textOf(one, foreign)]).toEqual(['{"n":2}', '{"n":1}']);
      await settle();
    }
    expect(warn).toHaveBeenCalledOnce();
    expect(kms.calls.length).toBeLessThan(10);
    passed += 0.2 * HOUR_MS;
    await expect(one.seal('{}', PLACE)).rejects.toThrow('The key service gave no usable answer');
    await expect(one.open(foreign, PLACE, 'body')).rejects.toThrow('The key service gave no usable answer');
    kms.before = () => undefined;
    expect(await textOf(one, await one.seal('{}', PLACE))).toBe('{}');
  });

  it('lets go of a data key once the key service says that its key is gone', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const one = sealer();
    const sealed = await one.seal('{}', PLACE);
    kms.gone.add('key-a');
    expect(await textOf(one, sealed)).toBe('{}');
    passed += HOUR_MS;
    await textOf(one, sealed);
    await settle();
    expect((await one.open(sealed, PLACE, 'body')).problem).toContain('the key "a"');
    await expect(one.seal('{}', PLACE)).rejects.toThrow('no usable key');
  });

  it('keeps the data keys that were used last, and no more of them than it may', async () => {
    const sealed = await Promise.all([1, 2, 3].map(() => sealer().seal('{}', PLACE)));
    const one = sealer({ cacheSize: 2 });
    const before = kms.calls.length;
    const [a = '', b = '', c = ''] = sealed;
    for (const text of [a, b, a, c, a, c]) await textOf(one, text);
    expect(kms.calls.length - before).toBe(3);
    await textOf(one, b);
    expect(kms.calls.length - before).toBe(4);
  });

  it('waits for nothing that one key delays with what another key sealed, and only once for a silent one', async () => {
    const ofA = await Promise.all(Array.from({ length: 40 }, () => sealer().seal('{}', PLACE)));
    const ofB = await Promise.all(
      Array.from({ length: 40 }, () => sealer({ current: 'b' }).seal('{}', PLACE)),
    );
    let running = 0;
    let most = 0;
    kms.before = async (key) => {
      if (key === 'key-a') await new Promise(() => undefined);
      running += 1;
      most = Math.max(most, running);
      await settle();
      running -= 1;
    };
    // However busy the machine is, the second after the silence does not pass.
    vi.spyOn(performance, 'now').mockReturnValue(realNow());
    const one = sealer({ timeoutMs: 1_500 });
    const before = kms.calls.length;
    const results = await Promise.allSettled([...ofA, ...ofB].map((text) => textOf(one, text)));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
      ...ofA.map(() => false),
      ...ofB.map(() => true),
    ]);
    expect(most).toBe(16);
    expect(kms.calls.length - before).toBe(16 + 40);
    await expect(textOf(one, ofA[0] ?? '')).rejects.toThrow('did not answer within 1500 ms');
    expect(kms.calls.length - before).toBe(16 + 40);
  });

  it('does not call a key service silent because the process stood still while it was asked', async () => {
    const one = sealer({ timeoutMs: 20 });
    const asked = new Promise<void>((resolve) => {
      kms.before = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    const frozen = one.seal('{}', PLACE);
    await asked;
    // The process is frozen now. At the thaw the time limit has ended long ago.
    passed += 60_000;
    await expect(frozen).rejects.toThrow('The process stood still');
    kms.before = () => undefined;
    expect(await one.seal('{}', PLACE)).toContain('sealed:1:a~');
  });

  it('tells the key service when nobody waits any longer', async () => {
    let aborted = false;
    kms.before = (_key, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason as Error);
        });
      });
    await expect(sealer({ timeoutMs: 20 }).seal('{}', PLACE)).rejects.toThrow('did not answer within 20 ms');
    await eventually(() => {
      expect(aborted).toBe(true);
    });
  });

  it.each<[string, object, RegExp]>([
    ['a service without methods', { kms: {} }, /kms of envelope\(\) must have the methods wrap and unwrap/],
    ['no keys', { keys: {} }, /keys of envelope\(\)/],
    ['a key without a name', { keys: { a: '' } }, /keys\['a'\]/],
    ['a current that is not there', { current: 'x' }, /current.*write 'a' or 'b'/],
    ['no key for fingerprints', { fingerprintKey: undefined }, /fingerprintKey of envelope\(\)/],
    ['a time longer than the storage has', { timeoutMs: 4_001 }, /timeoutMs.*1 to 4000/],
    ['no uses', { maxUses: 0 }, /maxUses/],
    ['a word for a flag', { requireSealed: 'yes' }, /requireSealed/],
  ])('refuses %s', (_what, options, problem) => {
    expect(() => make(options)).toThrow(problem);
  });

  it('shows no data key and no key service when it is inspected', async () => {
    const one = make();
    await one.sealingKey();
    const shown = inspect(one, { depth: 9, showHidden: true }) + JSON.stringify(one);
    expect(shown).not.toContain('KeyService');
    expect(shown).not.toContain(fingerprintKey.toString('hex').slice(0, 12));
  });
});

describe('several encryptions', () => {
  const key = randomBytes(32);
  const plain = aesGcm({ keys: { a: key }, current: 'a' }) as Encryption;

  it('are one that seals with the first and opens with all, although an id of aesGcm() is that of a key service', async () => {
    const [fromKms, fromKey] = [
      await sealer().seal('{"n":1}', PLACE),
      await new ValueSealer(plain).seal('{"n":2}', PLACE),
    ];
    for (const [list, outdated] of [
      [[make(), plain], fromKey],
      [[plain, make()], fromKms],
    ] as const) {
      const both = new ValueSealer(oneEncryption([list[0], list[1]]));
      expect([await textOf(both, fromKms), await textOf(both, fromKey)]).toEqual(['{"n":1}', '{"n":2}']);
      const isOutdated = [fromKms, fromKey].filter((text) => both.isOutdated(text));
      expect(isOutdated).toEqual([outdated]);
      expect(both.fingerprints('x')).toEqual([...list[0].fingerprints('x'), ...list[1].fingerprints('x')]);
    }
  });

  it('are an option, and must not share an id', () => {
    const options = { baseUrl: 'http://127.0.0.1/api/v1', apiKey: 'pk_test_a', apiSecret: 'sk_test_a' };
    expect(resolveOptions({ ...options, encryption: [make(), plain] }).encryption?.current).toBe('a');
    expect(resolveOptions({ ...options, encryption: [plain] }).encryption).toBe(plain);
    expect(() => resolveOptions({ ...options, encryption: [make(), make({ keys: { a: 'x' } })] })).toThrow(
      /two keys with the id 'a'/,
    );
    expect(() => resolveOptions({ ...options, encryption: [] })).toThrow(
      /is no encryption of the package, nor a list/,
    );
  });
});

type Parts = ReturnType<typeof sealedStorage>;

describe('a list that needs many data keys', () => {
  /** A storage with so many payments, each of another process, and the encryption of a further process. */
  const filled = async (count: number, options: Partial<EnvelopeOptions> = {}) => {
    const raw = memoryStorage();
    for (let at = 0; at < count; at += 1) {
      await sealedStorage(raw, make()).journal.insert(journalRecord(`order-${at}`), 0);
    }
    const encryption = make(options);
    return { journal: sealedStorage(raw, encryption).journal, one: new ValueSealer(encryption) };
  };
  const page = { limit: 500 };

  it('leaves places of the key service to what waits for one data key, however many lists there are', async () => {
    const foreign = await sealer().seal('{"n":1}', PLACE);
    const { journal, one } = await filled(40);
    const answers: (() => void)[] = [];
    kms.before = () => new Promise((resolve) => answers.push(resolve));
    let listed = 0;
    const lists = [1, 2, 3].map(async () => {
      const { entries } = await journal.list(journalRecord('any'), [], page);
      listed += 1;
      return entries;
    });
    await settle();
    expect(answers).toHaveLength(8);
    const single = Promise.all([textOf(one, foreign), one.seal('{}', PLACE)]);
    await settle();
    for (const answer of answers.splice(8)) answer();
    expect(await single).toEqual(['{"n":1}', expect.stringContaining('sealed:1:a~')]);
    expect(listed).toBe(0);
    const before = kms.calls.length;
    while (listed < 3) {
      expect(answers.length).toBeLessThanOrEqual(8);
      for (const answer of answers.splice(0)) answer();
      await settle();
    }
    // Each data key was asked for once, for all three lists.
    expect(kms.calls.length - before).toBe(40 - 8);
    for (const entries of await Promise.all(lists)) {
      expect(entries.map(({ record }) => record.reference)).toEqual(
        Array.from({ length: 40 }, (_, at) => `order-${at}`),
      );
      expect(entries.filter(({ damaged }) => damaged !== undefined)).toEqual([]);
    }
    // Each is renewed an hour later, and the list does not wait for that.
    passed += HOUR_MS;
    await journal.list(journalRecord('any'), [], page);
    expect(answers).toHaveLength(8);
    while (answers.length > 0) {
      expect(answers.length).toBeLessThanOrEqual(8);
      for (const answer of answers.splice(0)) answer();
      await settle();
    }
    expect(kms.calls.length - before).toBe(40 - 8 + 40);
  });

  it('leaves places of the key service when lines of a batch are read, too', async () => {
    const { one } = await filled(0);
    const lines = await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const content = await sealer().seal('{}', [
          'batches',
          'default',
          'sandbox',
          'load',
          number,
          'content',
        ]);
        return { number, content, result: '{}' };
      }),
    );
    const raw = { lines: () => Promise.resolve(lines), linesOf: () => Promise.resolve(lines) };
    const store = sealedBatches(
      raw as unknown as BatchStore,
      { account: 'default', environment: 'sandbox' },
      one,
    );
    const answers: (() => void)[] = [];
    kms.before = () => new Promise((resolve) => answers.push(resolve));
    const reads = [store.lines('load', { after: 0, limit: 40 }), store.linesOf('load', 1)];
    await settle();
    expect(answers).toHaveLength(8);
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await settle();
    }
    for (const read of await Promise.all(reads))
      expect(read.map(({ number }) => number)).toEqual(lines.map(({ number }) => number));
  });

  it('asks once for a data key of many entries, also if the key service says that it is gone', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const raw = memoryStorage();
    const { journal } = sealedStorage(raw, make());
    for (let at = 0; at < 40; at += 1) await journal.insert(journalRecord(`order-${at}`), 0);
    kms.gone.add('key-a');
    const before = kms.calls.length;
    const { entries } = await sealedStorage(raw, make()).journal.list(journalRecord('any'), [], page);
    expect(entries.every(({ damaged }) => damaged?.includes('the key "a"'))).toBe(true);
    // Its fields are opened one after the other.
    expect(kms.calls.length - before).toBe(FIELDS);
  });

  describe('while time passes', () => {
    beforeEach(() => {
      vi.useFakeTimers();
      fakePerformance();
    });
    afterEach(() => {
      vi.useRealTimers();
    });
    const slow = (ms: number): void => {
      kms.before = () => new Promise((resolve) => setTimeout(resolve, ms));
    };

    it('opens what it can in three seconds, in order, and does not call the key service silent', async () => {
      const { journal, one } = await filled(40);
      slow(1_100);
      const listing = journal.list(journalRecord('any'), [], page);
      await vi.advanceTimersByTimeAsync(3_000);
      const { entries } = await listing;
      expect(entries.map(({ unavailable = false }) => unavailable)).toEqual([
        ...Array.from({ length: 16 }, () => false),
        ...Array.from({ length: 24 }, () => true),
      ]);
      expect(entries[16]?.damaged).toContain('when the time of the list was over');
      expect(entries[39]?.damaged).toContain('lists and renewals open 8 data keys at once');
      const sealing = one.seal('{}', PLACE);
      await vi.advanceTimersByTimeAsync(1_100);
      expect(await sealing).toContain('sealed:1:a~');
      // What the list had begun to open is there for the next one.
      kms.before = () => new Promise(() => undefined);
      const again = journal.list(journalRecord('any'), [], page);
      await vi.advanceTimersByTimeAsync(3_000);
      expect((await again).entries.filter(({ unavailable }) => !unavailable)).toHaveLength(24);
    });

    it('opens for each list what it can in its own three seconds, although they wait for the same data keys', async () => {
      const { journal } = await filled(40);
      slow(1_900);
      const readable = async (): Promise<number> => {
        const { entries } = await journal.list(journalRecord('any'), [], page);
        return entries.filter(({ unavailable = false }) => !unavailable).length;
      };
      const first = readable();
      await vi.advanceTimersByTimeAsync(1_000);
      const second = readable();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await first).toBe(8);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await second).toBe(16);
      await vi.advanceTimersByTimeAsync(10_000);
      // Nobody waited for the others any more when their turn came.
      expect(kms.calls.filter((call) => call.startsWith('unwrap'))).toHaveLength(24);
    });

    it('a call that had to wait for its place does not call the key service silent', async () => {
      const foreign = await Promise.all(Array.from({ length: 34 }, () => sealer().seal('{}', PLACE)));
      const one = sealer();
      slow(1_900);
      const opening = Promise.allSettled(foreign.map((text) => textOf(one, text)));
      await vi.advanceTimersByTimeAsync(2_000);
      const failures = (await opening).slice(16).map((result) => String('reason' in result && result.reason));
      expect(failures).toHaveLength(18);
      for (const failure of failures) {
        expect(failure).toContain('all 16 places for calls of this key were taken');
      }
      const sealing = one.seal('{}', PLACE);
      await vi.advanceTimersByTimeAsync(1_900);
      expect(await sealing).toContain('sealed:1:a~');
    });
  });
});

describe('a storage with a key service that is away', () => {
  it('lists every entry, and marks those that it cannot read for now', async () => {
    const raw = memoryStorage();
    await sealedStorage(raw, make()).journal.insert(journalRecord('order-1'), 0);
    const other = sealedStorage(raw, make({ current: 'b' }));
    await other.journal.insert(journalRecord('order-2'), 0);
    kms.before = (id) => (id === 'key-a' ? Promise.reject(new Error('away')) : undefined);
    const { entries } = await other.journal.list(journalRecord('any'), [], { limit: 9 });
    expect(entries.map(({ unavailable = false }) => unavailable)).toEqual([true, false]);
    expect(entries[0]?.damaged).toContain('cannot be had now');
    await expect(other.journal.get(journalRecord('order-1'))).rejects.toThrow('gave no usable answer');
    // What is there already is not overwritten, and not taken for something else.
    await expect(other.journal.insert(journalRecord('order-1'), 0)).rejects.toThrow('gave no usable answer');
    kms.before = () => undefined;
    expect((await other.journal.get(journalRecord('order-1')))?.damaged).toBeUndefined();
  });

  describe.each([
    ['insert()', (storage: Parts, record: JournalRecord) => storage.journal.insert(record, 0)],
    [
      'insert() of its daily caps',
      (storage: Parts, record: JournalRecord) => storage.journal.dailyCaps!.insert(record, 0, { cents: 1 }),
    ],
  ])('%s without a key that seals', (_what, insert) => {
    it('finds a payment that the journal holds, and one that it has forgotten', async () => {
      vi.spyOn(Logger.prototype, 'error').mockReturnValue();
      const raw = memoryStorage({ now: () => realNow() + passed });
      const before = sealedStorage(raw, make());
      const forgotten = journalRecord('order-0', { state: 'settled', outcome: 'success' });
      await before.journal.insert(forgotten, 0);
      passed += 10;
      await before.journal.purge(forgotten, 'settled', 1);
      await before.journal.insert(journalRecord('order-1'), 0);
      await sealedStorage(raw, make({ current: 'b' })).journal.insert(journalRecord('order-2'), 0);
      kms.gone.add('key-a');
      const storage = sealedStorage(raw, make());
      expect(await insert(storage, forgotten)).toMatchObject({
        inserted: false,
        tombstone: { end: 'success' },
      });
      expect(await insert(storage, journalRecord('order-1'))).toMatchObject({
        inserted: false,
        stored: { damaged: expect.stringContaining('the key "a"') as string },
      });
      const readable = await insert(storage, journalRecord('order-2'));
      expect(readable).toMatchObject({ inserted: false, stored: { record: journalRecord('order-2') } });
      expect(readable).not.toHaveProperty('stored.damaged');
    });

    it('writes nothing for any other payment, and says why', async () => {
      kms.gone.add('key-a');
      const raw = memoryStorage();
      await expect(insert(sealedStorage(raw, make()), journalRecord('order-1'))).rejects.toThrow(
        'The key service has no usable key "a" to seal with.',
      );
      expect(await raw.journal.get(journalRecord('order-1'))).toBeUndefined();
    });
  });

  it('calls a change done that the store has written, although it cannot read it again', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const raw = memoryStorage();
    await sealedStorage(raw, make()).journal.insert(journalRecord('order-1'), 0);
    const other = sealedStorage(raw, make({ current: 'b' }));
    kms.gone.add('key-a');
    const damaged = await other.journal.get(journalRecord('order-1'));
    expect(damaged?.damaged).toContain('the key "a"');
    away();
    const next = {
      ...(damaged?.record ?? journalRecord('x')),
      state: 'settled',
      outcome: 'success',
    } as const;
    expect(await other.journal.replace(damaged?.version ?? 0, next, 0)).toMatchObject({
      record: { state: 'settled' },
      unavailable: true,
    });
  });
});
