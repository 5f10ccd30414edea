import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { type PaymentsStorage } from '../../../../lib/storage/payments-storage.js';
import { aesGcm } from '../../../../lib/storage/sealed/aes-gcm.js';
import { type Encryption } from '../../../../lib/storage/sealed/encryption.js';
import { oneEncryption } from '../../../../lib/storage/sealed/encryption-list.js';
import { envelope } from '../../../../lib/storage/sealed/envelope.js';
import { Resealing, type ResealReport } from '../../../../lib/storage/sealed/reseal.js';
import { sealedStorage } from '../../../../lib/storage/sealed/sealed-storage.js';
import { ValueSealer } from '../../../../lib/storage/sealed/value-sealer.js';
import { journalRecord } from '../../../support/journal-contract.js';

const KEYS = { old: randomBytes(32), now: randomBytes(32) };
const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const oldKey = aesGcm({ keys: { old: KEYS.old }, current: 'old' }) as Encryption;
const bothKeys = aesGcm({ keys: KEYS, current: 'now' }) as Encryption;
const newKey = aesGcm({ keys: { now: KEYS.now }, current: 'now' }) as Encryption;

const settled = (reference: string): JournalRecord =>
  journalRecord(reference, { state: 'settled', outcome: 'success', answer: '{"name":"Asha Mushi"}' });
const event = (reference: string, name = 'payment.failed') => ({
  ...SCOPE,
  kind: 'conflict' as const,
  event: name,
  reference,
  fingerprint: `of ${reference}`,
  payload: `{"phone":"${reference}"}`,
});

let raw: PaymentsStorage;
beforeEach(() => {
  raw = memoryStorage();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const reseal = (encryption: Encryption, signal?: AbortSignal): Promise<ResealReport> =>
  new Resealing(raw, new ValueSealer(encryption)).run(SCOPE, signal);
const count = (change: Partial<ResealReport> = {}): ResealReport => ({
  resealed: 0,
  current: 0,
  busy: 0,
  unreadable: 0,
  unavailable: 0,
  ...change,
});

describe('resealing', () => {
  it('resealing counts what the key service does not seal now, and continues', async () => {
    const before = sealedStorage(raw, oldKey);
    for (const reference of ['order-1', 'order-2']) await before.journal.insert(settled(reference), 0);
    await before.conflicts.setAside(event('a'));
    const refused = (): Promise<never> => Promise.reject(new Error('no right to encrypt'));
    const service = envelope({
      kms: { wrap: refused, unwrap: refused },
      keys: { service: 'payments' },
      current: 'service',
      fingerprintKey: randomBytes(32),
    }) as Encryption;
    expect(await reseal(oneEncryption([service, oldKey]))).toEqual(count({ unavailable: 3 }));
    vi.spyOn(raw.journal, 'replace').mockRejectedValue(new Error('away'));
    await expect(reseal(oneEncryption([newKey, oldKey]))).rejects.toThrow('away');
  });

  it('resealing ends at a failure that is not of the key service', async () => {
    const before = sealedStorage(raw, oldKey);
    const broken: Encryption = {
      ...bothKeys,
      openingKey: () => {
        throw new TypeError('a bug');
      },
    };
    await before.conflicts.setAside(event('a'));
    await expect(reseal(broken)).rejects.toThrow('a bug');
    raw = memoryStorage();
    await sealedStorage(raw, oldKey).journal.insert(settled('order-1'), 0);
    await expect(reseal(broken)).rejects.toThrow('a bug');
    const content = await new ValueSealer(oldKey).seal('{}', ['batches']);
    const batches = {
      list: () => Promise.resolve([{ record: { batch: 'a', load: 'load' } }]),
      lines: () => Promise.resolve([{ number: 1, content, result: '{}' }]),
    } as unknown as NonNullable<PaymentsStorage['batches']>;
    raw = { ...memoryStorage(), batches };
    await expect(reseal(broken)).rejects.toThrow('a bug');
  });

  it('resealing does not open what the current key sealed', async () => {
    const { conflicts } = sealedStorage(raw, newKey);
    await conflicts.setAside(event('a'));
    const [stored] = await raw.conflicts.list(SCOPE, { limit: 1 });
    const damaged = stored!.payload.replace(/.{8}$/, 'AAAAAAAA');
    expect(await raw.conflicts.replacePayload(stored!, damaged)).toBe(true);
    expect(await reseal(newKey)).toEqual(count({ current: 1 }));
    expect(await reseal(oneEncryption([oldKey, newKey]))).toEqual(count({ unreadable: 1 }));
  });

  it('resealing leaves the time at which a payment ended, however often it is sealed', async () => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(1_000);
    const before = sealedStorage(raw, oldKey);
    const { stored: first } = await before.journal.insert(settled('order-1'), 0);
    await before.journal.insert({ ...settled('order-2'), state: 'accepted' }, 0);
    now.mockReturnValue(2_000);
    await reseal(bothKeys);
    now.mockReturnValue(3_000);
    await reseal(oneEncryption([oldKey, newKey]));
    const { record, updatedAt } = (await raw.journal.get(first!.record))!;
    expect([updatedAt, record.endedAt]).toEqual([3_000, 1_000]);
    const open = await raw.journal.get({ ...first!.record, reference: 'order-2' });
    expect(open?.record.endedAt).toBeUndefined();
  });

  it('resealing moves everything to the current key, after which the old one can be removed', async () => {
    const before = sealedStorage(raw, oldKey);
    const records = Array.from({ length: 450 }, (_, at) => settled(`order-${at}`));
    for (const record of records) await before.journal.insert(record, 0);
    await before.journal.insert({ ...settled('payout-1'), family: 'disbursement' }, 0);
    await raw.journal.insert(settled('plain'), 0);
    await before.journal.insert({ ...settled('of-another'), account: 'other' }, 0);
    for (const reference of ['a', 'b']) await before.conflicts.setAside(event(reference));
    await before.conflicts.setAside(event('c', 'payment.odd'));
    await raw.conflicts.setAside(event('plain'));
    expect(await reseal(bothKeys)).toEqual(count({ resealed: 456 }));
    expect(await reseal(bothKeys)).toEqual(count({ current: 456 }));
    const after = sealedStorage(raw, newKey);
    for (const record of [...records, settled('plain')]) {
      const found = await after.journal.get(record);
      expect(found?.damaged).toBeUndefined();
      expect(found?.record).toEqual({ ...record, endedAt: expect.any(Number) as number });
    }
    const kept = await raw.journal.list(settled('any'), [], { limit: 999 });
    expect(JSON.stringify(kept)).not.toMatch(/Asha Mushi|sealed:1:old/);
    const events = await after.conflicts.list(SCOPE, { limit: 9 });
    expect(events).toMatchObject([event('a'), event('b'), event('c', 'payment.odd'), event('plain')]);
    expect(events.map(({ seen }) => seen)).toEqual([1, 1, 1, 1]);
    expect((await raw.journal.get({ ...settled('of-another'), account: 'other' }))?.record.body).toContain(
      'sealed:1:old',
    );
  });

  it('resealing leaves a payment alone whose call may be running, and takes it in the next run', async () => {
    const { journal } = sealedStorage(raw, oldKey);
    const running = await journal.insert(journalRecord('running'), 60_000);
    await journal.insert(journalRecord('interrupted'), 0);
    expect(await reseal(bothKeys)).toEqual(count({ busy: 2 }));
    const version = running.stored?.version ?? 0;
    expect(await journal.replace(version, settled('running'), 0)).toBeDefined();
    expect(await reseal(bothKeys)).toEqual(count({ resealed: 1, busy: 1 }));
  });

  it('resealing never overwrites what another process writes at the same time', async () => {
    const { journal, conflicts } = sealedStorage(raw, oldKey);
    await journal.insert(journalRecord('order-1', { state: 'accepted' }), 0);
    await conflicts.setAside(event('order-1'));
    const list = raw.journal.list.bind(raw.journal);
    vi.spyOn(raw.journal, 'list').mockImplementation(async (...asked) => {
      const page = await list(...asked);
      for (const { version } of page.entries) await journal.replace(version, settled('order-1'), 0);
      return page;
    });
    const replacing = raw.conflicts.replacePayload.bind(raw.conflicts);
    vi.spyOn(raw.conflicts, 'replacePayload').mockImplementation(async (...asked) => {
      await conflicts.setAside({ ...event('order-1'), payload: '{"delivered":"again"}' });
      return replacing(...asked);
    });
    expect(await reseal(bothKeys)).toEqual(count({ busy: 2 }));
    const after = sealedStorage(raw, bothKeys);
    expect((await after.journal.get(settled('order-1')))?.record).toEqual(settled('order-1'));
    expect(await after.conflicts.list(SCOPE, { limit: 9 })).toMatchObject([
      { payload: '{"delivered":"again"}' },
    ]);
  });

  it('resealing counts what it cannot open, and leaves it as it is', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const { journal, conflicts } = sealedStorage(raw, oldKey);
    await journal.insert(settled('order-1'), 0);
    await conflicts.setAside(event('order-1'));
    expect(await reseal(newKey)).toEqual(count({ unreadable: 2 }));
    expect(await reseal(bothKeys)).toEqual(count({ resealed: 2 }));
  });

  it.each<[string, () => Promise<Uint8Array | 'gone'>, Partial<ResealReport>]>([
    ['destroyed', () => Promise.resolve('gone'), { unreadable: 4 }],
    ['away', () => Promise.reject(new Error('away')), { unavailable: 4 }],
  ])('resealing finds that even the current key of a key service is %s', async (_how, unwrap, expected) => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const kms = { wrap: () => Promise.resolve(Buffer.from('wrapped')), unwrap };
    const options = {
      kms,
      keys: { service: 'payments' },
      current: 'service',
      fingerprintKey: randomBytes(32),
    };
    const sealing = envelope(options) as Encryption;
    const { journal, conflicts } = sealedStorage(raw, sealing);
    await journal.insert(settled('order-1'), 0);
    await conflicts.setAside(event('order-1'));
    // Nothing of these is sealed.
    await journal.insert(settled('erased'), 0);
    const erased = (await raw.journal.get(settled('erased')))!;
    const { answer: _answer, body: _body, ...rest } = erased.record;
    await raw.journal.replace(erased.version, { ...rest, bodyHash: '' }, 0);
    const sealed = await new ValueSealer(sealing).seal('{}', ['batches']);
    const lines = [
      { number: 1, content: sealed, result: '{}' },
      { number: 2, content: sealed, result: sealed },
    ];
    const batches = {
      list: () => Promise.resolve([{ record: { batch: 'a', load: 'load' } }]),
      lines: () => Promise.resolve(lines),
    } as unknown as NonNullable<PaymentsStorage['batches']>;
    raw = { ...raw, batches };
    expect(await reseal(sealing)).toEqual(count({ current: 5 }));
    expect(await reseal(envelope(options) as Encryption)).toEqual(count({ current: 1, ...expected }));
  });

  it('resealing stops at its signal, and continues in the next run', async () => {
    const { journal } = sealedStorage(raw, oldKey);
    for (let at = 0; at < 5; at += 1) await journal.insert(settled(`order-${at}`), 0);
    const stopping = new AbortController();
    const replace = raw.journal.replace.bind(raw.journal);
    vi.spyOn(raw.journal, 'replace').mockImplementationOnce((...asked) => {
      stopping.abort();
      return replace(...asked);
    });
    expect(await reseal(bothKeys, stopping.signal)).toEqual({ ...count({ resealed: 1 }), unfinished: true });
    expect(await reseal(bothKeys)).toEqual(count({ resealed: 4, current: 1 }));
  });
});
