import { type GatewayCode } from '../../../errors/gateway-codes.js';
import { type Finding, held, isRefusedFor, silent, unexpected } from './finding.js';
import { type OptionalInput, type Question, type QuestionInputs, type Step } from './question.js';
import { amountOf, bankPayout, collection, lookup, partnerCollection, phonePayout } from './requests.js';
import { codeOf, fieldsOf, isAccepted, type KnownAnswer } from './step-answer.js';

/** Values that can reach nobody. */
const NO_BANK = 'NO-SUCH-BANK';
const NO_NUMBER = '0';

/** Each provokes one refusal. Its status and shape are observed in every answer of the run. */
export const REFUSAL_QUESTIONS: readonly Question[] = [
  {
    name: 'broken JSON',
    point: 'error statuses',
    asks: 'Does a body that is no JSON give INVALID_REQUEST?',
    needs: [],
    steps: () => [{ operation: 'POST /payments/mobile-money', body: '{' }],
    concludes: (answers) => refusedWith('INVALID_REQUEST', answers),
  },
  {
    name: 'malformed phone',
    point: 'shows three error shapes',
    asks: 'Does a malformed phone give messages under errors.phone at the partner wallet?',
    needs: [],
    steps: (inputs) => [partnerCollection({ ...inputs, partnerPhone: NO_NUMBER })],
    concludes: (answers) =>
      fieldsOf(answers[0]).includes('phone')
        ? held('a malformed phone gives messages under errors.phone', answers)
        : unexpected('errors.phone', answers),
  },
  provokes('INVALID_CHANNEL', 'unknown channel', 'shows most HTTP statuses not at all', [], () =>
    lookup({ channel: 'NO_SUCH_CHANNEL', account_number: NO_NUMBER }),
  ),
  provokes('INVALID_BANK_CODE', 'lookup at an unknown bank', 'banks', ['bankAccount'], ({ bankAccount }) =>
    lookup({ channel: 'BANK', account_number: bankAccount, bank_code: NO_BANK }),
  ),
  provokes(
    'ACCOUNT_NOT_FOUND',
    'lookup of an unknown account',
    'account holders',
    ['unknownAccount', 'bankCode'],
    ({ unknownAccount, bankCode }) =>
      lookup({ channel: 'BANK', account_number: unknownAccount, bank_code: bankCode }),
  ),
  provokes('INVALID_BANK', 'payout to an unknown bank', 'banks', ['bankAccount', 'accountName'], (inputs) =>
    bankPayout(inputs, { bank_code: NO_BANK }),
  ),
  provokes('INVALID_ACCOUNT', 'payout to a malformed account', 'account numbers', ['bankCode'], (inputs) =>
    bankPayout(inputs, { account_number: NO_NUMBER, account_name: 'Nobody' }),
  ),
  {
    name: 'payout with another name',
    point: 'account holders',
    asks: "Does a payout with another name than the holder's give ACCOUNT_NAME_MISMATCH?",
    needs: ['bankCode', 'bankAccount'],
    steps: (inputs) => [bankPayout(inputs, { account_name: 'Nobody Of This Name' })],
    concludes: (answers) =>
      isAccepted(answers[0])
        ? silent('a payout with another name is accepted', answers)
        : refusedWith('ACCOUNT_NAME_MISMATCH', answers),
  },
  provokes(
    'INVALID_NETWORK',
    'payout to an unknown network',
    'networks',
    ['recipientPhone', 'network'],
    (inputs) => phonePayout(inputs, { network: 'NO_SUCH_NETWORK' }),
  ),
  provokes(
    'INVALID_PHONE',
    'payout to a malformed phone',
    'shows `network` as six upper-case tokens without their names',
    ['network'],
    (inputs) => phonePayout(inputs, { recipient_phone: NO_NUMBER }),
  ),
  {
    name: 'payout above the balance',
    point: 'starting balance',
    asks: 'Does a payout of more than the wallet holds give INSUFFICIENT_BALANCE?',
    needs: ['recipientPhone', 'network', 'aboveBalanceCents'],
    steps: (inputs) => [phonePayout(inputs, { amount: amountOf(inputs.aboveBalanceCents ?? 0) })],
    concludes: (answers) =>
      isAccepted(answers[0])
        ? silent('the payout is accepted: the wallet may hold as much', answers)
        : refusedWith('INSUFFICIENT_BALANCE', answers),
  },
  {
    name: 'collection without an e-mail address',
    point: 'calls `customer_email` both required and nullable',
    asks: 'Has a collection to have an e-mail address?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs), collection(inputs, { customer_email: null })],
    concludes: (answers) => {
      const [control, without] = answers;
      if (!isAccepted(control) || !without)
        return silent('a collection with an address is not accepted', answers);
      if (isRefusedFor(without, 'customer_email')) return held('an e-mail address is required', answers);
      return isAccepted(without)
        ? held('an e-mail address may be null', answers)
        : unexpected('a success or errors.customer_email', answers);
    },
  },
];

function provokes(
  code: GatewayCode,
  name: string,
  point: string,
  needs: readonly OptionalInput[],
  step: (inputs: QuestionInputs) => Step,
): Question {
  return {
    name,
    point,
    asks: `Does it give ${code}: ${name}?`,
    needs,
    steps: (inputs) => [step(inputs)],
    concludes: (answers) => refusedWith(code, answers),
  };
}

function refusedWith(code: GatewayCode, answers: readonly KnownAnswer[]): readonly Finding[] {
  return codeOf(answers[0]) === code ? held(`${code} as listed`, answers) : unexpected(code, answers);
}
