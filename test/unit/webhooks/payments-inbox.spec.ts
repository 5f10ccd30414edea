import { beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../../../lib/storage/memory/memory-storage.js';
import { PaymentsInbox } from '../../../lib/webhooks/payments-inbox.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;

describe('what was set aside', () => {
  let inbox: PaymentsInbox;

  beforeEach(async () => {
    const storage = memoryStorage();
    inbox = new PaymentsInbox(SCOPE, storage, 1, undefined);
    for (let at = 1; at <= 250; at += 1) {
      const reference = `order-${at}`;
      const delivery = {
        kind: 'conflict',
        event: 'payment.failed',
        fingerprint: `f${at}`,
        payload: '{}',
      } as const;
      await storage.conflicts.setAside({ ...SCOPE, ...delivery, reference });
    }
  });

  it('comes a hundred at a time unless the caller says otherwise, and every entry once', async () => {
    const references: string[] = [];
    const sizes: number[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await inbox.conflicts({ after });
      if (page.length === 0) break;
      sizes.push(page.length);
      references.push(...page.map(({ reference }) => reference));
      after = page.at(-1)?.id;
    }
    expect(sizes).toEqual([100, 100, 50]);
    expect(references).toEqual(Array.from({ length: 250 }, (_, at) => `order-${at + 1}`));
    expect(await inbox.conflicts({ limit: 1_000 })).toHaveLength(250);
  });

  it('costs as much for a page of many entries as of few', async () => {
    const scopesRead = vi.spyOn(JSON, 'stringify');
    await inbox.conflicts({ after: (await inbox.conflicts())[9]!.id, limit: 1 });
    expect(scopesRead.mock.calls.length).toBeLessThan(10);
    scopesRead.mockRestore();
  });

  it.each([0, -1, 1.5, 1_001, NaN])('refuses a page of %d entries', async (limit) => {
    await expect(inbox.conflicts({ limit })).rejects.toMatchObject({
      name: 'PaymentsValidationError',
      errors: { limit: ['limit must be a whole number from 1 to 1000: write 100, the default'] },
    });
  });

  it('refuses to continue after what is no id', async () => {
    await expect(inbox.conflicts({ after: 'order-1' })).rejects.toMatchObject({
      errors: { after: [expect.stringContaining('page.at(-1)?.id')] },
    });
  });

  it('is not released if the account has no `webhooks` option, and stays', async () => {
    const [first] = await inbox.conflicts();
    await expect(inbox.release(first!.id)).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining(
        'has no `webhooks` option: add it before releasing a webhook',
      ) as unknown,
    });
    expect(await inbox.conflict(first!.id)).toEqual(first);
    await expect(inbox.release('order-1')).rejects.toMatchObject({ code: 'CONFLICT_NOT_FOUND' });
  });

  it.each(['unrecognizedOlderThanMs', 'unknownReferencesOlderThanMs'])(
    'is purged by no wrong age: %s',
    async (field) => {
      for (const age of [0, -1, 1.5, NaN, Infinity, 36_500 * 86_400_000 + 1, '5', null]) {
        await expect(inbox.purge({ [field]: age })).rejects.toMatchObject({
          name: 'PaymentsValidationError',
          errors: {
            [field]: [
              `${field} must be a whole number of milliseconds, from 1 to 36,500 days: write 400 * 86_400_000`,
            ],
          },
        });
      }
    },
  );

  it('is purged by no age that does not exist', async () => {
    await expect(inbox.purge({ unrecognisedOlderThanMs: 5 } as object)).rejects.toMatchObject({
      errors: {
        unrecognisedOlderThanMs: [
          'unrecognisedOlderThanMs does not exist: did you mean `unrecognizedOlderThanMs`?',
        ],
      },
    });
  });

  it('forgets no outcome if every outcome is kept', async () => {
    const storage = memoryStorage();
    const purge = vi.spyOn(storage.inbox, 'purge');
    const keeping = new PaymentsInbox(SCOPE, storage, Infinity, undefined);
    expect(await keeping.purge()).toBe(0);
    expect(purge).not.toHaveBeenCalled();
  });

  it.each([undefined, null, 42, '', {}])('is not looked for under what is no id: %j', async (given) => {
    const id = given as string;
    await expect(inbox.release(id)).rejects.toMatchObject({
      code: 'CONFLICT_NOT_FOUND',
      message: 'Nothing with this id is set aside.',
    });
    const refusal = {
      name: 'PaymentsValidationError',
      errors: { id: ['id must be a text that is not empty: write that of an event of conflicts()'] },
    };
    await expect(inbox.conflict(id)).rejects.toMatchObject(refusal);
    await expect(inbox.discard(id)).rejects.toMatchObject(refusal);
  });

  it('gives one entry by its id', async () => {
    const [first] = await inbox.conflicts();
    expect(await inbox.conflict(first?.id ?? '')).toEqual(first);
    expect(await inbox.conflict('order-1')).toBeUndefined();
  });
});
