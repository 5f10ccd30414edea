import { describe, expect, it } from 'vitest';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';
import { type HandlerStep } from '../../../../lib/webhooks/handlers/payment-handlers.js';
import { type HandlerPlan, planHandlers } from '../../../../lib/webhooks/delivery/handler-runner.js';

type PlannedWork = Pick<HandlerPlan, 'announce' | 'settle' | 'handlers'>;

const steps = (...names: string[]): HandlerStep[] => names.map((name) => ({ name, run: () => name }));
const settle = (): Promise<void> => Promise.resolve();
const transaction = { transaction: 'open', journal: {} as JournalStore };

function planned(work: PlannedWork, claim: { finished?: string[] } & Partial<typeof transaction>): string[] {
  return planHandlers(work, { attempt: 1, finished: [], ...claim }).map(({ name, mark }) =>
    mark === undefined ? name : `${name} = ${mark}`,
  );
}

describe('the plan for a delivery', () => {
  const cases: [string, PlannedWork, Parameters<typeof planned>[1], string[]][] = [
    ['one handler, which the end of the work covers', { handlers: steps('A.a') }, {}, ['A.a']],
    [
      'several handlers, remembered but for the last',
      { handlers: steps('A.a', 'B.b', 'C.c') },
      {},
      ['A.a = A.a', 'B.b = B.b', 'C.c'],
    ],
    [
      'the journal before the handlers, and not remembered',
      { settle, handlers: steps('A.a', 'B.b') },
      {},
      ['PaymentsJournal', 'A.a = A.a', 'B.b'],
    ],
    [
      'the journal after the handlers in a transaction, which remembers nothing',
      { announce: steps('X.x'), settle, handlers: steps('A.a', 'B.b') },
      transaction,
      ['X.x', 'A.a', 'B.b', 'PaymentsJournal'],
    ],
    [
      'nothing in a transaction that finished in an earlier run without one',
      { settle, handlers: steps('A.a', 'B.b') },
      { ...transaction, finished: ['A.a'] },
      ['B.b', 'PaymentsJournal'],
    ],
    [
      'a contradiction before the journal',
      { announce: steps('X.x'), settle, handlers: steps('A.a') },
      {},
      ['X.x = conflict X.x', 'PaymentsJournal', 'A.a'],
    ],
    [
      'nothing that finished',
      { settle, handlers: steps('A.a', 'B.b') },
      { finished: ['A.a'] },
      ['PaymentsJournal', 'B.b'],
    ],
    [
      'a handler that is the last one only because others finished',
      { handlers: steps('A.a', 'B.b') },
      { finished: ['B.b'] },
      ['A.a'],
    ],
    ['nothing if all of them finished', { handlers: steps('A.a') }, { finished: ['A.a', 'Gone.b'] }, []],
    [
      'twins, told apart by their order',
      { handlers: steps('A.a', 'B.b', 'A.a', 'A.a', 'C.c') },
      { finished: ['A.a'] },
      ['B.b = B.b', 'A.a = A.a#2', 'A.a = A.a#3', 'C.c'],
    ],
    [
      'a method for the outcome that finished for the contradiction only',
      { announce: steps('A.a'), settle, handlers: steps('A.a', 'B.b') },
      { finished: ['conflict A.a'] },
      ['PaymentsJournal', 'A.a = A.a', 'B.b'],
    ],
  ];

  it.each(cases)('holds %s', (_what, work, claim, expected) => {
    expect(planned(work, claim)).toEqual(expected);
  });

  it("settles in the transaction's journal, or in no other than the account's own", async () => {
    const journals: (JournalStore | undefined)[] = [];
    const work: PlannedWork = {
      settle: ({ journal }) => {
        journals.push(journal);
        return Promise.resolve();
      },
      handlers: [],
    };
    const claim = { attempt: 1, finished: [] };
    for (const given of [claim, { ...claim, ...transaction }]) {
      for (const step of planHandlers(work, given)) await step.run(undefined as never, undefined as never);
    }
    expect(journals).toEqual([undefined, transaction.journal]);
  });
});
