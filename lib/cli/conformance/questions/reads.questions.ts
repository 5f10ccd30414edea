import { isRecord } from '../../../common/json-object.js';
import { moneyFromWire } from '../../../common/money.js';
import { type FactName } from '../../../gateway-profile/facts.js';
import { differs, type Finding, held, learnt, notPrepared, silent, unexpected } from './finding.js';
import { type OptionalInput, type Question, type QuestionInputs } from './question.js';
import { collection, lookup, phonePayout } from './requests.js';
import { type Accepted, codeOf, idsOf, isAccepted, isOwn, type KnownAnswer } from './step-answer.js';

const SPELLINGS = 'spells bank codes in two ways';
const STATUS = 'shows no status query';

/** What reading gives: balance, banks, names and statuses. */
export const READ_QUESTIONS: readonly Question[] = [
  {
    name: 'balance',
    point: 'starting balance',
    asks: 'Has the balance its three amounts?',
    needs: [],
    steps: () => [{ operation: 'GET /merchant-balance' }],
    concludes: (answers) => balance(answers),
  },
  {
    name: 'rate limit headers',
    point: 'headers that tell a rate limit',
    asks: 'Which headers tell the rate limit?',
    needs: [],
    steps: () => [{ operation: 'GET /merchant-balance' }],
    concludes: rateLimitHeaders,
  },
  {
    name: 'list of banks',
    point: 'banks',
    asks: 'Have the first banks of the list an id, a name and a code?',
    needs: [],
    steps: () => [{ operation: 'GET /bank-shortnames' }],
    concludes: bankList,
  },
  {
    name: 'case of bank codes',
    point: SPELLINGS,
    asks: 'Does the case of a bank code count?',
    needs: ['bankCode', 'bankAccount'],
    steps: (inputs) => [
      lookupAt(inputs, inputs.bankCode),
      lookupAt(inputs, otherCase(inputs.bankCode ?? '')),
    ],
    isPointless: ({ bankCode = '' }) =>
      otherCase(bankCode) === bankCode ? '--bank-code has no letters, and so no other case' : undefined,
    concludes: (answers) => spelling('case of bank codes', ['any', 'exact'], answers),
  },
  {
    name: 'long bank codes',
    point: SPELLINGS,
    asks: 'Is the longer spelling of a bank code taken?',
    needs: ['bankCode', 'longBankCode', 'bankAccount'],
    steps: (inputs) => [lookupAt(inputs, inputs.bankCode), lookupAt(inputs, inputs.longBankCode)],
    isPointless: ({ bankCode = '', longBankCode = '' }) =>
      bankCode.toLowerCase() === longBankCode.toLowerCase()
        ? '--long-bank-code is the same as --bank-code'
        : undefined,
    concludes: (answers) => spelling('long bank codes', ['accepted', 'refused'], answers),
  },
  lookupQuestion('MOBILE_MONEY', ['recipientPhone'], ({ recipientPhone }) => ({
    account_number: recipientPhone,
  })),
  lookupQuestion('BANK', ['bankCode', 'bankAccount'], ({ bankCode, bankAccount }) => ({
    account_number: bankAccount,
    bank_code: bankCode,
  })),
  lookupQuestion('PARTNERPESA', ['partnerPhone'], ({ partnerPhone }) => ({ account_number: partnerPhone })),
  {
    name: 'status of a collection',
    point: STATUS,
    asks: 'Does the named path tell the status of a collection?',
    needs: ['phone', 'collectionStatusPath'],
    steps: (inputs) => [collection(inputs), statusOf(inputs.collectionStatusPath)],
    concludes: (answers) => status('statusPaths.collection', answers),
  },
  {
    name: 'status of a payout',
    point: STATUS,
    asks: 'Does the named path tell the status of a payout?',
    needs: ['recipientPhone', 'network', 'payoutStatusPath'],
    steps: (inputs) => [phonePayout(inputs), statusOf(inputs.payoutStatusPath)],
    concludes: (answers) => status('statusPaths.disbursement', answers),
  },
  {
    name: 'empty metadata',
    point: 'echoes `metadata` as object, null or `{}`; an empty list occurs',
    asks: 'Is the metadata of a collection null if none was sent?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs)],
    concludes: (answers) => {
      const [answer] = answers;
      if (!isAccepted(answer)) return notPrepared(answers);
      const metadata = isRecord(answer.data) ? answer.data['metadata'] : undefined;
      return metadata === null
        ? held('metadata is null if none was sent', answers)
        : differs(`metadata is ${writtenAs(metadata)} if none was sent`, answers);
    },
  },
];

function balance(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [answer] = answers;
  if (!isAccepted(answer)) return unexpected('a success', answers);
  const data = isRecord(answer.data) ? answer.data : {};
  const isWhole = ['balance', 'available_balance', 'locked_balance'].every(
    (field) => moneyFromWire(data[field]) !== undefined,
  );
  return isWhole
    ? held('the balance has its three amounts', answers)
    : differs('the balance has not its three amounts', answers);
}

function rateLimitHeaders(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [answer] = answers;
  if (!isAccepted(answer)) return unexpected('a success', answers);
  const about = answer.headers.filter((header) => /rate-?limit/.test(header));
  const families = new Set(about.map((header) => /^(x-)?ratelimit(?=-|$)/.exec(header)?.[0]));
  if (families.size === 0)
    return learnt('rate limit headers', 'none', 'no header tells the rate limit', answers, 'rate');
  const [family] = families;
  if (families.size > 1 || family === undefined)
    return differs(`the rate limit stands in ${about.join(', ')}`, answers);
  return learnt('rate limit headers', family, `the headers are ${about.join(', ')}`, answers, 'rate');
}

function bankList(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [answer] = answers;
  if (!isAccepted(answer)) return unexpected('a success', answers);
  const banks: readonly unknown[] = Array.isArray(answer.data) ? answer.data : [];
  const areWhole =
    banks.length > 0 &&
    banks.every((bank) => isRecord(bank) && ['id', 'name', 'code'].every((field) => field in bank));
  return areWhole
    ? held('the first banks of the list have id, name and code', answers)
    : differs('the list is empty, or one of its first banks has not id, name and code', answers);
}

function lookupQuestion(
  channel: 'MOBILE_MONEY' | 'BANK' | 'PARTNERPESA',
  needs: readonly OptionalInput[],
  fields: (inputs: QuestionInputs) => Readonly<Record<string, unknown>>,
): Question {
  const name = `lookup of ${channel}` as const;
  return {
    name,
    point: 'account holders',
    asks: `Are names found in the channel ${channel}?`,
    needs,
    steps: (inputs) => [lookup({ channel, ...fields(inputs) })],
    concludes: (answers) => {
      const [answer] = answers;
      if (isAccepted(answer)) return learnt(name, 'answered', `${channel} finds the holder`, answers);
      if (codeOf(answer) === 'INVALID_CHANNEL')
        return learnt(name, 'refused', `INVALID_CHANNEL for ${channel}`, answers);
      if (codeOf(answer) === 'ACCOUNT_NOT_FOUND')
        return silent('ACCOUNT_NOT_FOUND: the account may have no holder', answers);
      return unexpected('a success or INVALID_CHANNEL', answers);
    },
  };
}

function lookupAt({ bankAccount }: QuestionInputs, bank_code: string | undefined) {
  return lookup({ channel: 'BANK', account_number: bankAccount, bank_code });
}

function otherCase(code: string): string {
  const lower = code.toLowerCase();
  return lower === code ? code.toUpperCase() : lower;
}

function spelling(
  name: FactName,
  [taken, refused]: readonly [string, string],
  answers: readonly KnownAnswer[],
): readonly Finding[] {
  const [control, other] = answers;
  if (!isAccepted(control) || !other) return notPrepared(answers);
  if (isAccepted(other)) return learnt(name, taken, 'the other spelling is taken by lookups', answers);
  if (codeOf(other) === 'INVALID_BANK_CODE')
    return learnt(name, refused, 'INVALID_BANK_CODE for a lookup with the other spelling', answers);
  return unexpected('a success or INVALID_BANK_CODE', answers);
}

function statusOf(path: string | undefined) {
  return { operation: 'GET status' as const, referenceOf: 0, ...(path && { path }) };
}

function status(option: string, answers: readonly KnownAnswer[]): readonly Finding[] {
  const [made, asked] = answers;
  if (!isAccepted(made) || !asked) return notPrepared(answers);
  if (!isAccepted(asked)) return unexpected('a success', answers);
  const [first, again] = [recordOf(made), recordOf(asked)];
  const isThere = isOwn(first['reference']) && first['reference'] === again['reference'];
  return isThere && typeof again['status'] === 'string'
    ? [{ verdict: 'learnt', says: 'the named path tells the status', evidence: idsOf(answers), option }]
    : differs('the named path answers without the reference or the status', answers);
}

function recordOf({ data }: Accepted): Readonly<Record<string, unknown>> {
  return isRecord(data) ? data : {};
}

function writtenAs(value: unknown): string {
  if (value === undefined) return 'left out';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list';
  return isRecord(value) && Object.keys(value).length === 0 ? '{}' : `a value of the type ${typeof value}`;
}
