import { type FactName, type FactValue } from '../../../gateway-profile/facts.js';
import { type GatewayCode } from '../../../errors/gateway-codes.js';
import { type Conclusion, type FactRange } from '../conclusion.js';
import { idsOf, type KnownAnswer, type StepAnswer } from './step-answer.js';

/** A conclusion before it has the name of its question. */
export type Finding = Omit<Conclusion, 'question'>;

type Known = Pick<Conclusion, 'fact' | 'fits' | 'option'>;

/** These codes are about the account, so they say nothing about what was asked. */
const ABOUT_SOMETHING_ELSE: ReadonlySet<GatewayCode | undefined> = new Set<GatewayCode>([
  'UNAUTHORIZED',
  'INSUFFICIENT_PERMISSIONS',
  'INSUFFICIENT_BALANCE',
]);

export function held(says: string, answers: readonly StepAnswer[], known: Known = {}): readonly Finding[] {
  return [{ verdict: 'held', says, evidence: idsOf(answers), ...known }];
}

export function differs(says: string, answers: readonly StepAnswer[], known: Known = {}): readonly Finding[] {
  return [{ verdict: 'differs', says, evidence: idsOf(answers), ...known }];
}

/** A fact that the specification leaves open. */
export function learnt(
  name: FactName,
  value: FactValue,
  says: string,
  answers: readonly StepAnswer[],
  option?: string,
): readonly Finding[] {
  const fact = { name, value };
  return [{ verdict: 'learnt', says, fact, evidence: idsOf(answers), ...(option && { option }) }];
}

export function silent(
  says: string,
  answers: readonly StepAnswer[] = [],
  within?: FactRange,
): readonly Finding[] {
  return [{ verdict: 'silent', says, evidence: idsOf(answers), ...(within && { within }) }];
}

/** The first request only prepared, and was refused. */
export function notPrepared(answers: readonly KnownAnswer[]): readonly Finding[] {
  const last = answers.at(-1);
  return silent(`the request that prepares it gave ${last ? named(last) : 'nothing'}`, answers);
}

/** The last answer is a known one, but none that was expected here. */
export function unexpected(expected: string, answers: readonly KnownAnswer[]): readonly Finding[] {
  const last = answers.at(-1);
  if (last === undefined) return silent('it was not asked');
  const isElsewhere = last.kind === 'refused' && last.shape !== 'C' && ABOUT_SOMETHING_ELSE.has(last.code);
  if (isElsewhere) return silent(`${named(last)} came, which says nothing about it`, answers);
  return differs(`${named(last)} came where ${expected} was expected`, answers);
}

/** An answer in one word: its code, or the fields that have messages. */
export function named(answer: KnownAnswer): string {
  if (answer.kind === 'accepted') return 'a success';
  return answer.shape === 'C' ? `errors.${answer.fields.join(' and errors.')}` : answer.code;
}

/** Whether a request was refused because of one field. */
export function isRefusedFor(answer: KnownAnswer | undefined, field: string): boolean {
  if (answer?.kind !== 'refused') return false;
  return answer.shape === 'C'
    ? answer.fields.length === 1 && answer.fields[0] === field
    : answer.code === 'INVALID_REQUEST';
}
