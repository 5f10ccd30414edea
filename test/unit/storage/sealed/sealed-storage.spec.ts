import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PaymentsStorage } from '../../../../lib/storage/payments-storage.js';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { aesGcm } from '../../../../lib/storage/sealed/aes-gcm.js';
import { type Encryption } from '../../../../lib/storage/sealed/encryption.js';
import { oneEncryption } from '../../../../lib/storage/sealed/encryption-list.js';
import { envelope } from '../../../../lib/storage/sealed/envelope.js';
import { sealedStorage } from '../../../../lib/storage/sealed/sealed-storage.js';
import { claimed, inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { storageContracts, type TestedStorage } from '../../../support/storage-contracts.js';

const KEYS = { old: randomBytes(32), now: randomBytes(32) };
const SCOPE = { account: 'default', environment: 'sandbox' } as const;

function encryption(current: string, ...ids: readonly (keyof typeof KEYS)[]): Encryption {
  const keys = Object.fromEntries(ids.map((id) => [id, KEYS[id]]));
  return aesGcm({ keys, current }) as Encryption;
}

const oldKey = encryption('old', 'old');
const bothKeys = encryption('now', 'now', 'old');
const newKey = encryption('now', 'now');

const RECORD = journalRecord('order-1', {
  body: '{"phone":"255712345678"}',
  answer: '{"name":"Asha Mushi"}',
  bodyHash: '1:abc',
});
const DELIVERY = {
  ...SCOPE,
  kind: 'mismatch',
  event: 'payment.success',
  reference: 'order-1',
  fingerprint: 'a hash',
} as const;
const SECRETS = ['255712345678', 'Asha Mushi', '1:abc'];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Data keys that are wrapped in nothing. */
const fromService = envelope({
  kms: {
    wrap: ({ dataKey }) => Promise.resolve(Uint8Array.from(dataKey)),
    unwrap: ({ wrapped }) => Promise.resolve(wrapped),
  },
  keys: { now: 'payments' },
  current: 'now',
  fingerprintKey: randomBytes(32),
}) as Encryption;

describe.each([
  ['aesGcm()', bothKeys],
  ['envelope()', fromService],
])('a storage sealed with %s', (_name, sealing) => {
  const open = (): TestedStorage => {
    let now = 1_800_000_000_000;
    return {
      ...sealedStorage(memoryStorage({ now: () => now }), sealing),
      pass: (ms) => {
        now += ms;
      },
    };
  };
  storageContracts(open);
});

describe('the journal of a sealed storage', () => {
  const stored = async (storage: PaymentsStorage): Promise<JournalRecord | undefined> =>
    (await storage.journal.get(RECORD))?.record;

  it('the journal of a sealed storage gives the store no request, no answer and no hash that can be guessed', async () => {
    const raw = memoryStorage();
    const { journal } = sealedStorage(raw, newKey);
    const inserted = await journal.insert(RECORD, 0);
    expect(inserted.stored?.record).toEqual(RECORD);
    const kept = await stored(raw);
    for (const secret of SECRETS) expect(JSON.stringify(kept)).not.toContain(secret);
    const { body, answer, bodyHash, ...plain } = RECORD;
    expect(kept).toMatchObject(plain);
    expect([body, answer, bodyHash]).not.toContain(undefined);
    const version = inserted.stored?.version ?? 0;
    const replaced = await journal.replace(version, { ...RECORD, state: 'accepted' }, 0);
    expect(replaced?.record).toEqual({ ...RECORD, state: 'accepted' });
    for (const secret of SECRETS) expect(JSON.stringify(await stored(raw))).not.toContain(secret);
  });

  it('the journal of a sealed storage reads what was written before encryption was turned on, and under an earlier key', async () => {
    const raw = memoryStorage();
    await raw.journal.insert(RECORD, 0);
    expect(await stored({ ...raw, ...sealedStorage(raw, newKey) })).toEqual(RECORD);
    const sealed = memoryStorage();
    await sealedStorage(sealed, oldKey).journal.insert(RECORD, 0);
    expect(await stored({ ...sealed, ...sealedStorage(sealed, bothKeys) })).toEqual(RECORD);
  });

  it('the journal of a sealed storage calls an entry damaged whose key is missing, names the key once in the log, and reads it once the key is back', async () => {
    const log = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const raw = memoryStorage();
    await sealedStorage(raw, oldKey).journal.insert(RECORD, 0);
    await sealedStorage(raw, newKey).journal.insert(journalRecord('order-2'), 0);
    const { journal } = sealedStorage(raw, newKey);
    const { entries } = await journal.list(RECORD, [], { limit: 9 });
    expect(entries.map(({ damaged }) => damaged)).toEqual([
      expect.stringContaining('the key "old"'),
      undefined,
    ]);
    const existing = await journal.get(RECORD);
    expect(existing?.damaged).toContain('the key "old"');
    expect(log).toHaveBeenCalledOnce();
    const settled = { ...(existing?.record ?? RECORD), state: 'settled', outcome: 'success' } as const;
    expect((await journal.replace(existing?.version ?? 0, settled, 0))?.damaged).toContain('"old"');
    const found = await sealedStorage(raw, bothKeys).journal.get(RECORD);
    expect(found?.damaged).toBeUndefined();
    expect(found?.record).toEqual({ ...RECORD, state: 'settled', outcome: 'success' });
  });

  it.each<[string, Partial<JournalRecord>]>([
    ['account', { account: 'other' }],
    ['environment', { environment: 'production' }],
    ['family', { family: 'disbursement' }],
    ['entry', { reference: 'order-2' }],
    ['attempt', { attempt: 2 }],
    ['operation', { operation: 'collection.partner-wallet' }],
    ['amount', { amount: '1.00' }],
    ['idempotency key', { idempotencyKey: 'a-key-that-the-gateway-does-not-know' }],
  ])('the journal of a sealed storage opens nothing that was moved to another %s', async (_what, change) => {
    const raw = memoryStorage();
    const { journal } = sealedStorage(raw, newKey);
    await journal.insert(RECORD, 0);
    const moved = { ...(await stored(raw)), ...change } as JournalRecord;
    const target = memoryStorage();
    await target.journal.insert(moved, 0);
    const found = await sealedStorage(target, newKey).journal.get(moved);
    expect(found?.damaged).toContain('does not open');
    for (const secret of SECRETS) expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('the journal of a sealed storage opens no field instead of another', async () => {
    const raw = memoryStorage();
    await sealedStorage(raw, newKey).journal.insert(RECORD, 0);
    const kept = await raw.journal.get(RECORD);
    const swapped = { ...RECORD, ...kept?.record, body: kept?.record.answer ?? '' };
    await raw.journal.replace(kept?.version ?? 0, swapped, 0);
    expect((await sealedStorage(raw, newKey).journal.get(RECORD))?.damaged).toContain(
      'its body does not open',
    );
  });
});

describe('a storage that requires seals', () => {
  const strict = aesGcm({ keys: { now: KEYS.now }, current: 'now', requireSealed: true }) as Encryption;

  it('a storage that requires seals reads no request, answer or event that somebody without a key wrote instead of a sealed one', async () => {
    const raw = memoryStorage();
    const { journal, conflicts } = sealedStorage(raw, strict);
    const inserted = await journal.insert(RECORD, 0);
    const sealed = (await raw.journal.get(RECORD))?.record ?? RECORD;
    let version = inserted.stored?.version ?? 0;
    for (const field of ['body', 'answer', 'bodyHash'] as const) {
      const forged = { ...sealed, [field]: '{"phone":"255700000666"}' };
      version = (await raw.journal.replace(version, forged, 0))?.version ?? 0;
      expect((await journal.get(RECORD))?.damaged).toContain(`its ${field} is not sealed`);
      const { entries } = await journal.list(RECORD, [], { limit: 9 });
      expect(entries[0]?.damaged).toContain(`its ${field} is not sealed`);
    }
    await raw.journal.replace(version, sealed, 0);
    expect((await journal.get(RECORD))?.damaged).toBeUndefined();
    await raw.conflicts.setAside({ ...DELIVERY, payload: '{"event":"payment.success"}' });
    const [listed] = await conflicts.list(SCOPE, { limit: 9 });
    expect(listed?.damaged).toContain('its payload is not sealed');
    expect((await conflicts.get(SCOPE, listed?.id ?? ''))?.damaged).toContain('its payload is not sealed');
  });

  it.each([
    ['first', (): Encryption => oneEncryption([strict, oldKey])],
    ['second', (): Encryption => oneEncryption([oldKey, strict])],
  ])('a storage requires seals if the %s of its encryptions does', async (_which, encryption) => {
    const raw = memoryStorage();
    await raw.journal.insert(RECORD, 0);
    expect((await sealedStorage(raw, encryption()).journal.get(RECORD))?.damaged).toContain('is not sealed');
  });

  it('a storage that requires seals reads a payment whose person was erased', async () => {
    const { journal } = sealedStorage(memoryStorage(), strict);
    const { body: _body, answer: _answer, ...rest } = RECORD;
    await journal.insert({ ...rest, bodyHash: '', erased: true }, 0);
    expect(await journal.get(RECORD)).not.toHaveProperty('damaged');
  });
});

it('names no more than a hundred missing keys in the log, because anyone who writes to the database can invent them', async () => {
  const log = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  const raw = memoryStorage();
  const { journal } = sealedStorage(raw, newKey);
  for (let at = 0; at < 150; at += 1) {
    await raw.journal.insert({ ...RECORD, reference: `order-${at}`, body: `sealed:1:key-${at}:AAAA` }, 0);
  }
  for (const id of ['x'.repeat(65), 'a\nb', 'a~b~c'])
    await raw.journal.insert({ ...RECORD, reference: id, body: `sealed:1:${id}:AAAA` }, 0);
  const { entries } = await journal.list(RECORD, [], { limit: 999 });
  expect(entries.filter(({ damaged }) => damaged?.includes('which the option'))).toHaveLength(150);
  expect(entries.filter(({ damaged }) => damaged === 'its body is sealed, and damaged')).toHaveLength(3);
  expect(log).toHaveBeenCalledTimes(100);
});

describe('the inbox of a sealed storage', () => {
  const unknown = inboxDelivery('the hash of a body', {
    key: inboxKey('the hash of a body', { kind: 'unrecognized' }),
  });

  it.each<[string, Encryption | undefined]>([
    ['before encryption was turned on', undefined],
    ['under an earlier key', oldKey],
    ['under the current key', bothKeys],
  ])(
    'the inbox of a sealed storage knows an unrecognized event again that was handled %s',
    async (_when, before) => {
      const raw = memoryStorage();
      const { inbox } = before ? sealedStorage(raw, before) : raw;
      await claimed(await inbox.claim(unknown, 60_000)).finish();
      expect(await sealedStorage(raw, bothKeys).inbox.claim(unknown, 60_000)).toMatchObject({
        result: 'done',
      });
    },
  );

  it('the inbox of a sealed storage gives the store a keyed hash of a body, of each account another one', async () => {
    const raw = memoryStorage();
    const claim = vi.spyOn(raw.inbox, 'claim');
    const { inbox } = sealedStorage(raw, newKey);
    await inbox.claim(unknown, 60_000);
    await inbox.claim({ ...unknown, key: { ...unknown.key, account: 'other' } }, 60_000);
    const written = claim.mock.calls
      .filter(([{ mustExist }]) => !mustExist)
      .map(([{ key }]) => key.reference);
    expect(new Set(written).size).toBe(2);
    for (const reference of written) expect(reference).toMatch(/^[\da-f]{64}$/);
    expect(written).not.toContain(unknown.key.reference);
  });

  it('the inbox of a sealed storage waits for the handlers that run under an earlier key', async () => {
    const raw = memoryStorage();
    const earlier = claimed(await sealedStorage(raw, oldKey).inbox.claim(unknown, 60_000));
    const { inbox } = sealedStorage(raw, bothKeys);
    expect(await inbox.claim(unknown, 60_000)).toMatchObject({ result: 'busy' });
    const waiting = inbox.waitForRelease(unknown.key, 60_000);
    await earlier.finish();
    await waiting;
    expect(await inbox.claim(unknown, 60_000)).toMatchObject({ result: 'done' });
  });
});

describe('the conflicts of a sealed storage', () => {
  const delivery = {
    ...SCOPE,
    kind: 'unrecognized',
    event: 'payment.refunded',
    reference: 'order-1',
    fingerprint: 'the hash of a body',
    payload: '{"phone":"255712345678"}',
  } as const;

  it('the conflicts of a sealed storage give the store neither payload nor the hash of a body, and give both back', async () => {
    const raw = memoryStorage();
    const { conflicts } = sealedStorage(raw, newKey);
    await conflicts.setAside(delivery);
    await conflicts.setAside(delivery);
    const [kept] = await raw.conflicts.list(SCOPE, { limit: 9 });
    expect(JSON.stringify(kept)).not.toMatch(/255712345678|the hash of a body/);
    const [found] = await conflicts.list(SCOPE, { limit: 9 });
    expect(found).toMatchObject({ ...delivery, seen: 2 });
    expect(await conflicts.get(SCOPE, found?.id ?? '')).toEqual(found);
  });

  it('the conflicts of a sealed storage list an event whose key is missing, and do not show its payload', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const raw = memoryStorage();
    await sealedStorage(raw, oldKey).conflicts.setAside(delivery);
    const [found] = await sealedStorage(raw, newKey).conflicts.list(SCOPE, { limit: 9 });
    expect(found).toMatchObject({
      reference: 'order-1',
      damaged: expect.stringContaining('"old"') as string,
    });
    expect(JSON.stringify(found)).not.toContain('255712345678');
  });

  it('the conflicts of a sealed storage open nothing that was moved to another entry', async () => {
    const raw = memoryStorage();
    await sealedStorage(raw, newKey).conflicts.setAside(delivery);
    const [kept] = await raw.conflicts.list(SCOPE, { limit: 9 });
    const target = memoryStorage();
    await target.conflicts.setAside({ ...delivery, ...kept, reference: 'order-2' });
    const [moved] = await sealedStorage(target, newKey).conflicts.list(SCOPE, { limit: 9 });
    expect(moved?.damaged).toContain('does not open');
  });
});
