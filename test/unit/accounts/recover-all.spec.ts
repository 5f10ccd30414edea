import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { type AccountOwner } from '../../../lib/accounts/account-owner.js';
import { RecoveryOfAll } from '../../../lib/accounts/recover-all.js';
import { type WalkPlaces } from '../../../lib/journal/recovery/recovery-walk.js';
import { journalRecord } from '../../support/journal-contract.js';

let storage: PaymentsStorage;
let clock: number;
/** Which account had a turn, and from where. */
let turns: { readonly account: string; readonly place: WalkPlaces | undefined }[];
/** How many turns an account needs. */
let needs: Map<string, number>;
let failing: Set<string>;
let heldBack: Set<string>;

beforeEach(() => {
  vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  storage = memoryStorage();
  clock = 0;
  turns = [];
  needs = new Map();
  failing = new Set();
  heldBack = new Set();
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function owner(name: string | undefined, given = storage): AccountOwner {
  return {
    name,
    givenStorage: given,
    parts: given,
    retentionMs: 1,
    resealing: undefined,
    sealer: undefined,
    canAskAboutPayouts: () => false,
    hold: (account) => ({
      release: () => undefined,
      service: {
        environment: 'sandbox',
        turns: {
          turn: (place: WalkPlaces | undefined) => {
            clock += 1;
            turns.push({ account, place });
            if (failing.has(account)) return Promise.reject(new Error('a@example.com'));
            if (heldBack.has(account))
              return Promise.resolve({ unasked: placeAfter('first unasked').others });
            const left = (needs.get(account) ?? 1) - 1;
            needs.set(account, left);
            return Promise.resolve(left > 0 ? placeAfter(`${left}`) : undefined);
          },
        } as never,
      },
    }),
  };
}

const placeAfter = (after: string): WalkPlaces => ({
  others: { family: 'collection', after, done: new Set() },
});
const write = async (account: string, to = storage): Promise<void> => {
  await to.journal.insert(journalRecord('order-1', { account }), 0);
};
const recovery = (owners: readonly AccountOwner[], runMs = 1_000_000): RecoveryOfAll =>
  new RecoveryOfAll(() => owners, new AbortController().signal, runMs);
const hadTurns = (): string[] => turns.map(({ account }) => account);

it('gives each account a turn before any has a second one', async () => {
  for (const account of ['a', 'b', 'c']) await write(account);
  needs.set('a', 3).set('c', 2);
  expect(await recovery([owner(undefined)]).recover()).toMatchObject({ accounts: 3, skipped: [] });
  expect(hadTurns()).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
  expect(turns.at(-1)?.place).toEqual(placeAfter('1'));
});

it('continues in the next run where the time of the last one was up, and then with the others', async () => {
  const names = Array.from({ length: 1_200 }, (_, index) => `shop-${String(index).padStart(4, '0')}`);
  for (const name of names) await write(name);
  const all = recovery([owner(undefined)], 700);
  const first = await all.recover();
  expect(first.unfinished).toBe(true);
  expect(first.accounts).toBeLessThan(720);
  turns = [];
  const second = await all.recover();
  expect(hadTurns()[0]).toBe(names[first.accounts]);
  expect(hadTurns()).toContain('shop-1199');
  turns = [];
  clock += 1_000;
  expect((await all.recover()).accounts).toBeGreaterThan(600);
  expect(hadTurns()[0]).toBe(names[first.accounts + second.accounts - names.length]);
});

it.each([400, 1_200])(
  'gives each of %i accounts a turn, though a run has time for a few of them',
  async (count) => {
    const names = Array.from({ length: count }, (_, index) => `shop-${String(index).padStart(4, '0')}`);
    for (const name of names) await write(name);
    const all = recovery([owner(undefined)], 150);
    const served = new Set<string>();
    for (let run = 0; run * 150 < count; run += 1) {
      turns = [];
      clock += 1_000;
      expect((await all.recover()).unfinished).toBe(true);
      for (const account of hadTurns()) served.add(account);
    }
    expect(names.filter((name) => !served.has(name))).toEqual([]);
    // And then those that waited longest.
    turns = [];
    clock += 1_000;
    await all.recover();
    expect(new Set(hadTurns()).size).toBeGreaterThan(150);
  },
);

it('continues in the second storage where the time of two runs was up', async () => {
  const other = memoryStorage();
  const names = Array.from({ length: 60 }, (_, index) => `b-${String(index).padStart(2, '0')}`);
  for (const name of names) await write(name, other);
  await write('a');
  const owners = [owner('a'), ...names.map((name) => owner(name, other))];
  const all = recovery(owners, 30);
  const { accounts } = await all.recover();
  // Time for the rest of the second storage, for the first one, and for some of the second one again.
  Reflect.set(all, 'runMs', 50);
  const { accounts: more } = await all.recover();
  turns = [];
  await all.recover();
  expect(hadTurns()[0]).toBe(names[accounts + more - names.length - 2]);
});

it('continues in an account that had more than the time allowed, and looks for payments to probe from its beginning', async () => {
  await write('giant');
  needs.set('giant', 9);
  const all = recovery([owner(undefined)], 3);
  expect((await all.recover()).unfinished).toBe(true);
  turns = [];
  await all.recover();
  const beginning = { family: 'collection', done: new Set() };
  expect(turns[0]?.place).toEqual({ planned: beginning, probes: beginning, ...placeAfter('5') });
});

it('gives an account whose status queries the gateway limits no further turn in the run, and continues in the next one', async () => {
  for (const account of ['a', 'b']) await write(account);
  needs.set('b', 2);
  heldBack.add('a');
  const all = recovery([owner(undefined)]);
  await all.recover();
  expect(hadTurns()).toEqual(['a', 'b', 'b']);
  turns = [];
  heldBack.clear();
  await all.recover();
  const beginning = { family: 'collection', done: new Set() };
  const others = { family: 'collection', after: 'first unasked', done: new Set() };
  expect(turns[0]).toEqual({
    account: 'a',
    place: { planned: beginning, probes: beginning, others },
  });
});

it('leaves out an account whose storage fails, and says so without its data', async () => {
  const logged = vi.spyOn(Logger.prototype, 'error');
  for (const account of ['a', 'b', 'c']) await write(account);
  failing.add('b');
  const report = await recovery([owner(undefined)]).recover();
  expect(report).toMatchObject({
    accounts: 3,
    skipped: [{ account: 'b', environment: 'sandbox', reason: 'failed' }],
  });
  expect(hadTurns()).toEqual(['a', 'b', 'c']);
  expect(JSON.stringify(logged.mock.calls)).not.toContain('a@example.com');
});

it('gives those their turn in the end that had one in the last run, although another storage is away', async () => {
  const away = memoryStorage();
  const names = Array.from({ length: 40 }, (_, index) => `a-${String(index).padStart(2, '0')}`);
  for (const name of names) await write(name);
  const all = recovery([...names.map((name) => owner(name)), owner('z', away)], 15);
  await all.recover();
  vi.spyOn(away.journal, 'accounts').mockRejectedValue(new Error('away'));
  Reflect.set(all, 'runMs', 1_000);
  turns = [];
  await expect(all.recover()).rejects.toThrow();
  expect(hadTurns().toSorted()).toEqual(names);
});

it('takes the accounts of other storages, if one storage is away, and then fails', async () => {
  const away = memoryStorage();
  vi.spyOn(away.journal, 'accounts').mockRejectedValue(new Error('redis://user:secret@host'));
  await write('b');
  const error: unknown = await recovery([owner('a', away), owner('b')])
    .recover()
    .catch((failure: unknown) => failure);
  expect(error).toMatchObject({ name: 'PaymentsStorageError' });
  expect(hadTurns()).toEqual(['b']);
});
