import { describe, expect, it } from 'vitest';
import { type AnswerName } from './answers.js';
import { type CallResult } from './call-result.js';
import { Checker } from './checker.js';
import { type Effect, type SentPayment } from './gateway.js';
import { type JournalView } from './journal-view.js';
import { type PlannedCall } from './plan.js';

const call: PlannedCall = {
  family: 'disbursement',
  reference: 'first',
  channel: 0,
  amount: '1000.00',
  options: 'plain',
};
const path = '/api/v1/disbursements/bank';
const effect: Effect = { ...call, path, key: 'key-1', status: 'pending' };
const sent: SentPayment = {
  process: 1,
  family: 'disbursement',
  reference: 'first',
  path,
  key: 'key-1',
  body: '{}',
  planned: { answer: 'reset', effect: 'now' },
};
const entry: JournalView = {
  state: 'unknown',
  attempt: 1,
  amount: '1000.00',
  operation: 'disbursement.bank',
  idempotencyKey: 'key-1',
};
const rejected = (name: string, mayHaveBeenProcessed: boolean): CallResult => ({
  end: 'rejected',
  error: { name, message: '', mayHaveBeenProcessed },
});
const unknown = rejected('PaymentOutcomeUnknownError', true);
const refused = rejected('PaymentRejectedError', false);

/** What a checker says about a story; undefined: money was safe. */
function problem(story: (checker: Checker) => void, effects: readonly Effect[] = []): string | undefined {
  const checker = new Checker({ effectsOf: () => effects, awaits: () => false }, false);
  story(checker);
  try {
    checker.throwFound();
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n')[0];
  }
}

const made = (checker: Checker, result: CallResult): void => {
  checker.begins(call, 1, undefined);
  checker.arrived(sent);
  checker.ended([call], [result], 0, entry);
};

it('finds nothing if the journal holds an unknown payment', () => {
  const story = (checker: Checker): void => {
    made(checker, unknown);
    checker.compare(call, entry);
  };
  expect(problem(story, [effect])).toBeUndefined();
});

it('finds money that moved twice, and a payment that was made and called refused', () => {
  const twice = (checker: Checker): void => {
    checker.moved(effect);
  };
  expect(problem(twice, [effect, effect])).toBe('money moved twice');
  expect(
    problem(
      (checker) => {
        made(checker, refused);
      },
      [effect],
    ),
  ).toBe('a payment that was made is said not to have been processed');
});

it('finds a payment that is sent after its caller was told that nothing was, or under another key', () => {
  const later =
    (result: CallResult, key: string) =>
    (checker: Checker): void => {
      made(checker, result);
      checker.stepBegins();
      checker.arrived({ ...sent, key });
    };
  expect(problem(later(refused, 'key-1'))).toBe('a payment was sent that its caller was told was never sent');
  expect(problem(later(unknown, 'key-2'))).toBe('another key was sent while a payment may exist');
  expect(problem(later(unknown, 'key-1'))).toBeUndefined();
});

it('finds a payment that is called unknown though nobody listened to it', () => {
  const unheard =
    (result: CallResult) =>
    (checker: Checker): void => {
      checker.neverLeft(call, result);
    };
  expect(problem(unheard(unknown))).toBe('a payment that never left this machine is called unknown');
  expect(problem(unheard(rejected('PaymentsConnectionError', false)))).toBeUndefined();
});

it('finds a third try, and one that another replica makes while the first still runs', () => {
  const tried = (checker: Checker): void => {
    made(checker, unknown);
    checker.arrived(sent);
    checker.arrived(sent);
  };
  expect(problem(tried)).toBe('a payment was tried more than once more');
  const besideRefused = (checker: Checker): void => {
    checker.begins(call, 1, undefined);
    checker.begins(call, 2, undefined);
    checker.arrived(sent);
    checker.refused(call);
    checker.arrived(sent);
    checker.arrived(sent);
  };
  expect(problem(besideRefused)).toBeUndefined();
  const beyond = (checker: Checker): void => {
    besideRefused(checker);
    checker.arrived(sent);
  };
  expect(problem(beyond)).toBe('a payment was tried more than once more');
  const held = (checker: Checker): void => {
    made(checker, unknown);
    checker.hold(call, 1);
    checker.arrived({ ...sent, process: 2 });
  };
  expect(problem(held)).toBe('a payment was sent by one replica while another one was making it');
});

it('finds a payment that is sent again although its caller allowed one try only', () => {
  const again =
    (result: CallResult, freed = false) =>
    (checker: Checker): void => {
      made(checker, result);
      checker.allowedOneTry(call, result, 0);
      if (freed) checker.freed(call);
      checker.arrived(sent);
    };
  const found = 'a payment was sent again whose caller allowed one try only';
  expect(problem(again(unknown))).toBe(found);
  expect(problem(again({ end: 'died' }))).toBe(found);
  expect(problem(again(unknown, true))).toBe('a payment was sent that its caller was told was never sent');
  expect(problem(again(rejected('PaymentsRateLimitError', false)))).not.toBe(found);
});

it('finds one key that carries two requests, also after a refusal', () => {
  const other = (checker: Checker): void => {
    checker.begins(call, 1, undefined);
    checker.arrived({ ...sent, planned: { answer: 'refused: phone', effect: 'none' } });
    checker.arrived({ ...sent, body: '{"amount":"2500.50"}' });
  };
  expect(problem(other)).toBe('one key carried two different requests');
});

describe('a failure after a try was refused', () => {
  const collection = { ...call, family: 'collection' } as const;
  const failed: JournalView = { ...entry, state: 'settled', outcome: 'failed', settledBy: 'webhook' };
  const story =
    (
      after: JournalView,
      answer: AnswerName = '422 without a code',
      between: readonly string[] = ['unknown'],
    ) =>
    (checker: Checker): void => {
      checker.begins(collection, 1, undefined);
      checker.arrived({ ...sent, family: 'collection', planned: { answer, effect: 'none' } });
      checker.ended([collection], [unknown], 0, entry);
      for (const state of ['rejected', ...between]) checker.compare(collection, { ...entry, state });
      checker.compare(collection, after);
    };
  const found = 'a failure that may be that of a refused try has ended the payment';

  it('is found if it ends the payment by itself', () => {
    for (const settledBy of ['webhook', 'status'])
      expect(problem(story({ ...failed, settledBy }))).toBe(found);
    expect(problem(story(failed, 'refused: phone'))).toBe(found);
  });

  it('may end it by the word of an operator, or if nothing came after the refusal', () => {
    expect(problem(story({ ...failed, settledBy: 'operator' }))).toBeUndefined();
    expect(problem(story(failed, undefined, []))).toBeUndefined();
    expect(problem(story(failed, 'slow down 429'))).toBeUndefined();
  });
});

it('finds a journal that contradicts the ledger', () => {
  const journalHolds =
    (view: JournalView | undefined) =>
    (checker: Checker): void => {
      made(checker, unknown);
      checker.compare(call, view);
    };
  expect(problem(journalHolds(undefined), [effect])).toBe('a payment was made that is not in the journal');
  expect(problem(journalHolds(undefined))).toBe('a payment may have been made that is not in the journal');
  expect(problem(journalHolds({ ...entry, state: 'rejected' }), [effect])).toBe(
    'a payment was made that the journal calls rejected',
  );
  expect(problem(journalHolds({ ...entry, state: 'accepted' }))).toBe('an accepted payment was not made');
  expect(problem(journalHolds({ ...entry, state: 'settled', outcome: 'paid' }), [effect])).toBe(
    'a payment is settled with another outcome',
  );
  const back = (checker: Checker): void => {
    made(checker, unknown);
    checker.heardEnd(call);
    checker.compare(call, entry);
  };
  expect(problem(back, [effect])).toBe('a payment that had ended is open again');
});

it.each<[what: string, existing: Partial<JournalView>, found: boolean]>([
  ['if the gateway refused it', { state: 'rejected' }, false],
  ['if an operator called it failed', { settledBy: 'operator' }, false],
  ['unless the gateway has shown it', { settledBy: 'operator', acknowledged: true }, true],
  ['unless the gateway has answered', { settledBy: 'operator', answer: '{}' }, true],
  ['unless a webhook called it failed', { settledBy: 'webhook' }, true],
])('lets another key follow a call that died, %s', (_, existing, found) => {
  const story = (checker: Checker): void => {
    made(checker, { end: 'died' });
    checker.begins(call, 1, { ...entry, state: 'settled', outcome: 'failed', ...existing });
    checker.arrived({ ...sent, key: 'key-2' });
  };
  expect(problem(story)).toBe(found ? 'another key was sent while a payment may exist' : undefined);
});

describe('a payment that a transaction has enlisted', () => {
  const planned: JournalView = { ...entry, state: 'planned' };
  const enlist = (checker: Checker): void => {
    checker.plans(call, 'key-1', undefined);
    checker.stepBegins();
  };

  it('may be sent by any call, once, under its key', () => {
    const sends =
      (key: string) =>
      (checker: Checker): void => {
        enlist(checker);
        checker.arrived({ ...sent, key });
      };
    expect(problem(sends('key-1'))).toBeUndefined();
    expect(problem(sends('key-2'))).toBe('another key was sent while a payment may exist');
    const again = (checker: Checker): void => {
      sends('key-1')(checker);
      checker.compare(call, { ...entry, state: 'accepted' });
      checker.arrived(sent);
      checker.arrived(sent);
    };
    expect(problem(again, [effect])).toBe('a payment was tried more than once more');
  });

  it('stays in the journal, and is not called over while it does', () => {
    const vanishes = (checker: Checker): void => {
      enlist(checker);
      checker.compare(call, planned);
      checker.compare(call, undefined);
    };
    expect(problem(vanishes)).toBe('a planned payment is not in the journal any more');
    const over =
      (result: CallResult) =>
      (checker: Checker): void => {
        enlist(checker);
        checker.begins(call, 1, planned);
        checker.ended([call], [result], 0, planned);
      };
    expect(problem(over(rejected('GatewayUnreachableError', false)))).toBe(
      'a payment that stays planned is said to be over',
    );
    expect(problem(over(rejected('ReferenceReusedError', false)))).toBeUndefined();
  });

  it('is not planned by itself, nor after it was made', () => {
    const unknown = (checker: Checker): void => {
      checker.compare(call, planned);
    };
    expect(problem(unknown)).toBe('a payment is planned that nobody has enlisted');
    const made = (checker: Checker): void => {
      enlist(checker);
      checker.arrived(sent);
      checker.compare(call, planned);
    };
    expect(problem(made, [effect])).toBe('a payment was made that the journal calls planned');
  });
});
