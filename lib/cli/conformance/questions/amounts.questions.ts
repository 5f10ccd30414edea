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
import { askedValues, boundsOf, rangeOf } from './limit-search.js';
import { type LimitSearch, type Question } from './question.js';
import { amountOf, collection } from './requests.js';
import { type Accepted, fieldsOf, isAccepted, type KnownAnswer } from './step-answer.js';

const SMALLEST: LimitSearch = {
  fact: 'smallest amount',
  rungs: FACTS['smallest amount'].values,
  coarse: 100,
  step: (inputs, cents) => collection(inputs, { amount: amountOf(cents) }),
  isRefusal: (answer) => isRefusedFor(answer, 'amount'),
};

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
    steps: (inputs) => [collection(inputs, { currency: 'XTS' })],
    concludes: otherCurrency,
  },
  {
    name: 'smallest amount',
    point: 'shows no smallest or largest amount',
    asks: 'What is the smallest amount of a collection?',
    needs: ['phone'],
    search: SMALLEST,
    steps: (inputs) => SMALLEST.rungs.map((cents) => SMALLEST.step(inputs, cents)),
    concludes: smallestAmount,
  },
];

function amountAsText(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [control, text] = answers;
  if (!isAccepted(control) || !text) return notPrepared(answers);
  if (isAccepted(text)) {
    const cents = centsIn(text);
    if (cents === undefined || cents !== centsIn(control))
      return differs('an amount as a string is accepted, and not given back', answers);
    return learnt(
      'amount as text',
      'accepted',
      'the amount of a collection may be a string',
      answers,
      'amountFormat',
    );
  }
  if (isRefusedFor(text, 'amount'))
    return learnt(
      'amount as text',
      'refused',
      'the amount of a collection has to be a number',
      answers,
      'amountFormat',
    );
  return unexpected('a success or a refusal of the amount', answers);
}

function threeDecimals(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [control, precise] = answers;
  if (!isAccepted(control) || !precise) return notPrepared(answers);
  const name = 'three decimals';
  if (isRefusedFor(precise, 'amount'))
    return learnt(name, 'refused', 'a collection of an amount with three decimals is refused', answers);
  if (!isAccepted(precise)) return unexpected('a success or a refusal of the amount', answers);
  const [whole, seen] = [centsIn(control), centsIn(precise)];
  if (whole === undefined || seen === undefined)
    return differs(
      'a collection of an amount with three decimals is accepted, and not given back in cents',
      answers,
    );
  if (seen === whole)
    return learnt(name, 'cut', 'the third decimal of the amount of a collection is cut', answers);
  if (seen === whole + 1n)
    return learnt(name, 'rounded', 'the amount of a collection with three decimals is rounded', answers);
  return differs('a collection of an amount with three decimals is accepted as another one', answers);
}

/** Nothing but the field is wrong, so the refusal also shows how wrong fields are refused. */
function otherCurrency(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [wrong] = answers;
  if (!isRefusedFor(wrong, 'currency')) return unexpected('a refusal of the currency', answers);
  const value = fieldsOf(wrong).length > 0 ? 'errors' : 'INVALID_REQUEST';
  return held('another currency than TZS is refused', answers, {
    fact: { name: 'wrong fields of a collection', value },
  });
}

function smallestAmount(answers: readonly KnownAnswer[]): readonly Finding[] {
  const changed = askedValues(SMALLEST, answers).find(
    ({ value, answer }) => isAccepted(answer) && centsIn(answer) !== BigInt(value),
  );
  if (changed)
    return differs(
      `a collection of ${inTzs(changed.value)} is accepted, and not given back as that amount`,
      answers,
    );
  const bounds = boundsOf(SMALLEST, answers);
  const unknown = (says: string) => silent(says, answers, rangeOf(SMALLEST, bounds));
  const other = answers.find((answer) => !isAccepted(answer) && !SMALLEST.isRefusal(answer));
  if (other) return unknown(`${named(other)} came, which says nothing about the amount`);
  const { refused, taken } = bounds;
  const seen = refused === undefined ? undefined : `${inTzs(refused)} is refused`;
  if (taken === undefined)
    return unknown(seen ? `${seen}, and nothing larger was asked` : 'nothing was asked');
  // No amount is below the first rung but 0.
  if (taken - (refused ?? 0) > 1)
    return unknown(
      `the smallest collection is between ${inTzs(refused ?? 0)} (refused) and ${inTzs(taken)} (taken)`,
    );
  const accepted = `a collection of ${inTzs(taken)} is accepted`;
  return learnt('smallest amount', taken, seen ? `${accepted}, ${seen}` : accepted, answers, 'limits');
}

function inTzs(cents: number): string {
  return `TZS ${formatCents(BigInt(cents))}`;
}

function centsIn({ data }: Accepted): bigint | undefined {
  const amount = moneyFromWire((data as { readonly amount?: unknown } | undefined)?.amount);
  return amount === undefined ? undefined : parseCents(amount);
}
