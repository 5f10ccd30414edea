import { type Finding, held, unexpected } from './finding.js';
import { type Question } from './question.js';
import { bankPayout, partnerCollection } from './requests.js';
import { isAccepted, type KnownAnswer } from './step-answer.js';

const STATUSES = 'shows most HTTP statuses not at all';

/** Operations that no other question needs. */
export const SUCCESS_QUESTIONS: readonly Question[] = [
  {
    name: 'collection from the partner wallet',
    point: STATUSES,
    asks: 'Is a collection from the partner wallet accepted?',
    needs: ['partnerPhone'],
    steps: (inputs) => [partnerCollection(inputs)],
    concludes: (answers) => accepted('a collection from the partner wallet is accepted', answers),
  },
  {
    name: 'payout to the bank account',
    point: STATUSES,
    asks: 'Is a payout to the bank account accepted?',
    needs: ['bankCode', 'bankAccount', 'accountName'],
    steps: (inputs) => [bankPayout(inputs)],
    concludes: (answers) => accepted('a payout to the bank account is accepted', answers),
  },
];

function accepted(says: string, answers: readonly KnownAnswer[]): readonly Finding[] {
  return isAccepted(answers[0]) ? held(says, answers) : unexpected('a success', answers);
}
