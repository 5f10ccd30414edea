import { describe, expect, it } from 'vitest';
import { readJournalDay } from '../../../../lib/reconciliation/close/journal-day.js';
import {
  type JournalPage,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';

const FROM = Date.parse('2026-11-20T00:00:00Z');
const TO = FROM + 86_400_000;

const stored = (reference: string, createdAt: number): StoredJournalRecord =>
  ({
    record: {
      family: 'collection',
      reference,
      amount: '10.00',
      state: 'settled',
      outcome: 'success',
      attempt: 1,
    },
    createdAt,
    updatedAt: createdAt,
    idleMs: 0,
    ageMs: 0,
  }) as unknown as StoredJournalRecord;

it('the payments of a day are read page by page, up to its end', async () => {
  const pages = [
    { entries: [stored('a', FROM), stored('b', FROM + 1)], next: '2' },
    { entries: [stored('c', FROM + 2)], next: '3' },
    { entries: [stored('d', TO - 1), stored('e', TO)], next: '4' },
  ];
  const asked: (string | undefined)[] = [];
  const journal = {
    list: ({ family }: { readonly family: string }, _: unknown, { after }: { readonly after?: string }) => {
      if (family === 'disbursement') return Promise.resolve({ entries: [] });
      asked.push(after);
      return Promise.resolve(pages[Number(after ?? 1) - 1]);
    },
  } as unknown as JournalStore;
  const own = { journal, scope: { account: 'default', environment: 'sandbox' } as const };
  const span = { from: FROM, to: TO, readUntil: TO, carried: undefined, proposed: undefined };
  const { payments } = await readJournalDay(own, span, () => undefined);
  // The first close looks for older payments, too.
  expect(asked.slice(-3)).toEqual([undefined, '2', '3']);
  expect(payments.size).toBe(4);
});

describe('a payment that a list could not open for now', () => {
  const silent = { damaged: 'its key service is silent', unavailable: true } as const;
  const read = (get: JournalStore['get']): ReturnType<typeof readJournalDay> => {
    const entries = [stored('a', FROM), { ...stored('b', FROM + 1), ...silent }];
    const list = ({ family }: { readonly family: string }): Promise<JournalPage> =>
      Promise.resolve({ entries: family === 'collection' ? entries : [] });
    const journal = { list, get } as unknown as JournalStore;
    const own = { journal, scope: { account: 'default', environment: 'sandbox' } as const };
    const span = { from: FROM, to: TO, readUntil: TO, carried: undefined, proposed: undefined };
    return readJournalDay(own, span, () => undefined);
  };

  it('is read by itself', async () => {
    const asked: string[] = [];
    const { payments } = await read(({ reference }) => {
      asked.push(reference);
      return Promise.resolve(stored(reference, FROM + 1));
    });
    expect(new Set(asked)).toEqual(new Set(['b']));
    expect(payments.at(payments.find('collection', 'b') ?? -1)).toMatchObject({
      state: 'moved',
      status: 'success',
    });
  });

  it('ends the close if its key cannot be had', async () => {
    await expect(read(() => Promise.reject(new Error('no key service')))).rejects.toThrow('no key service');
  });
});
