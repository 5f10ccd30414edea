import { FACTS } from '../../../gateway-profile/facts.js';
import { formatCents, moneyFromWire, parseCents } from '../../../common/money.js';
import {
  differs,
  type Finding,
  held,
  isRefusedFor,
  learnt,
  named,
  notPrepared,
  silent,
  unexpected,
} from './finding.js';
import { type Question } from './question.js';
import { amountOf, collection } from './requests.js';
import { type Accepted, isAccepted, type KnownAnswer } from './step-answer.js';

const SMALLEST = FACTS['smallest amount'].values;

/** What amounts and currencies a collection may have. */
export const AMOUNT_QUESTIONS: readonly Question[] = [
  {
    name: 'amount as text',
    point: 'writes amounts as "number" and as "decimal"',
    asks: 'May an amount be a JSON string?',
    needs: ['phone'],
    steps: (inputs) => [
      collection(inputs),
      collection(inputs, { amount: formatCents(BigInt(inputs.amountCents)) }),
    ],
    concludes: amountAsText,
  },
  {
    name: 'amount with three decimals',
    point: 'lengths and amounts',
    asks: 'What does an amount with three decimals give?',
    needs: ['phone'],
    steps: (inputs) => [
      collection(inputs),
      // The third decimal is a 6, so that rounding and cutting give different cents.
      collection(inputs, { amount: (inputs.amountCents * 10 + 6) / 1_000 }),
    ],
    concludes: threeDecimals,
  },
  {
    name: 'amount of zero',
    point: 'lengths and amounts',
    asks: 'Is a collection of 0 refused?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs, { amount: 0 })],
    concludes: (answers) =>
      isRefusedFor(answers[0], 'amount')
        ? held('an amount of 0 is refused', answers)
        : unexpected('a refusal of the amount', answers),
  },
  {
    name: 'other currency',
    point: 'shows three error shapes',
    asks: 'Is a collection in another currency than TZS refused?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs, { currency: 'USD' })],
    concludes: (answers) =>
      isRefusedFor(answers[0], 'currency')
        ? held('another currency than TZS is refused', answers)
        : unexpected('a refusal of the currency', answers),
  },
  {
    name: 'smallest amount',
    point: 'shows no smallest or largest amount',
    asks: 'What is the smallest amount of a collection?',
    needs: ['phone'],
    untilAccepted: true,
    steps: (inputs) => SMALLEST.map((cents) => collection(inputs, { amount: amountOf(cents) })),
    concludes: smallestAmount,
  },
];

function amountAsText(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [control, text] = answers;
  if (!isAccepted(control) || !text) return notPrepared(answers);
  if (isAccepted(text))
    return learnt('amount as text', 'accepted', 'an amount may be a string', answers, 'amountFormat');
  if (isRefusedFor(text, 'amount'))
    return learnt('amount as text', 'refused', 'an amount has to be a number', answers, 'amountFormat');
  return unexpected('a success or a refusal of the amount', answers);
}

function threeDecimals(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [control, precise] = answers;
  if (!isAccepted(control) || !precise) return notPrepared(answers);
  const name = 'three decimals';
  if (isRefusedFor(precise, 'amount'))
    return learnt(name, 'refused', 'an amount with three decimals is refused', answers);
  if (!isAccepted(precise)) return unexpected('a success or a refusal of the amount', answers);
  const [whole, seen] = [centsIn(control), centsIn(precise)];
  if (whole === undefined || seen === undefined)
    return differs('an amount with three decimals is accepted, and not given back in cents', answers);
  if (seen === whole) return learnt(name, 'cut', 'the third decimal is cut', answers);
  if (seen === whole + 1n)
    return learnt(name, 'rounded', 'an amount with three decimals is rounded', answers);
  return differs('an amount with three decimals is accepted as another one', answers);
}

function smallestAmount(answers: readonly KnownAnswer[]): readonly Finding[] {
  const refused = answers.filter(({ kind }) => kind === 'refused');
  const other = refused.find((answer) => !isRefusedFor(answer, 'amount'));
  if (other) return silent(`${named(other)} came, which says nothing about the amount`, answers);
  const [below, least] = [SMALLEST[refused.length - 1], SMALLEST[refused.length]];
  const seen = below === undefined ? undefined : `TZS ${formatCents(BigInt(below))} is refused`;
  if (!isAccepted(answers.at(-1)) || least === undefined)
    return silent(seen ? `${seen}, and nothing larger was asked` : 'nothing was asked', answers);
  const accepted = `TZS ${formatCents(BigInt(least))} is accepted`;
  return learnt('smallest amount', least, seen ? `${accepted}, ${seen}` : accepted, answers, 'limits');
}

function centsIn({ data }: Accepted): bigint | undefined {
  const amount = moneyFromWire((data as { readonly amount?: unknown } | undefined)?.amount);
  return amount === undefined ? undefined : parseCents(amount);
}
