import { describe, expect, it } from 'vitest';
import { observe } from '../../../../../lib/cli/conformance/questions/conclude.js';
import { OBSERVATIONS } from '../../../../../lib/cli/conformance/questions/observations.js';
import { type StepOperation } from '../../../../../lib/cli/conformance/questions/question.js';
import { type StepAnswer } from '../../../../../lib/cli/conformance/questions/step-answer.js';
import { accepted, LOST, refused, UNEXPECTED, wrong } from '../../../../support/conformance-answers.js';

function observed(answers: readonly StepAnswer[], operation: StepOperation = 'POST /disbursements/bank') {
  const heard = answers.map((answer) => ({ operation, answer }));
  return OBSERVATIONS.flatMap((observation) => observe(observation, heard)).map(
    ({ verdict, says }) => `${verdict} ${says}`,
  );
}

describe('what every answer of a run shows', () => {
  it('learns status and shape of each code, and statuses of successes', () => {
    expect(
      observed([accepted({}, { status: 202 }), refused('INVALID_BANK', { status: 500, shape: 'A' })]),
    ).toEqual([
      'learnt POST /disbursements/bank succeeds with 202',
      'learnt INVALID_BANK comes with 500',
      'learnt INVALID_BANK comes in shape A',
      'held every answer has a listed code and a shown shape',
    ]);
  });

  it('learns nothing from answers that disagree', () => {
    expect(
      observed([
        accepted({}, { status: 200 }),
        accepted({}, { status: 201 }),
        refused('INVALID_BANK', { status: 422, shape: 'A' }),
        refused('INVALID_BANK', { status: 400 }),
        wrong('amount'),
        { ...wrong('phone'), status: 400 },
      ]),
    ).toEqual([
      'differs the success of POST /disbursements/bank varies: 200, 201',
      'differs the status of INVALID_BANK varies: 400, 422',
      'differs the status of messages by field varies: 400, 422',
      'differs the shape of INVALID_BANK varies',
      'held every answer has a listed code and a shown shape',
    ]);
  });

  it('holds the one success whose status the specification shows', () => {
    const statuses = (status: number) =>
      observed([accepted({}, { status })], 'POST /payments/mobile-money')[0];
    expect(statuses(200)).toBe('held POST /payments/mobile-money succeeds with 200');
    expect(statuses(201)).toBe('differs POST /payments/mobile-money succeeds with 201');
  });

  it('says which forms are unknown, and learns nothing from failures', () => {
    expect(observed([UNEXPECTED, UNEXPECTED, LOST])).toEqual(['differs the code NO_SUCH_CODE is not listed']);
    expect(observed([LOST])).toEqual([]);
  });
});
