import { type FactRange } from '../conclusion.js';
import { type LimitSearch, type QuestionInputs, type Step } from './question.js';
import { isAccepted, type KnownAnswer } from './step-answer.js';

/** How far a search came. The limit is known if nothing lies between the two. */
interface LimitBounds {
  readonly refused?: number;
  readonly taken?: number;
  /** What the control got. */
  readonly control?: KnownAnswer;
}

/** What the answers show, each to the value that the search asked then. */
export function boundsOf(search: LimitSearch, answers: readonly KnownAnswer[]): LimitBounds {
  let bounds: LimitBounds = {};
  for (const [index, answer] of answers.entries()) {
    const value = valueAfter(search, bounds, index);
    if (value === undefined) return { ...bounds, control: answer };
    if (isAccepted(answer)) bounds = { ...bounds, taken: value };
    else if (search.isRefusal(answer)) bounds = { ...bounds, refused: value };
    else break;
  }
  return bounds;
}

/** The answers with the value that each was asked, without the control's. */
export function askedValues(
  search: LimitSearch,
  answers: readonly KnownAnswer[],
): readonly { readonly value: number; readonly answer: KnownAnswer }[] {
  return answers.flatMap((answer, index) => {
    const value = valueAfter(search, boundsOf(search, answers.slice(0, index)), index);
    return value === undefined ? [] : [{ value, answer }];
  });
}

/** Where the limit lies: a smallest one is looked for from below, a longest one from above. */
export function rangeOf({ fact, rungs }: LimitSearch, { refused, taken }: LimitBounds): FactRange {
  const isSmallest = (rungs[0] ?? 0) < (rungs.at(-1) ?? 0);
  const beyond = refused === undefined ? undefined : refused + (isSmallest ? 1 : -1);
  const [least, most] = isSmallest ? [beyond, taken] : [taken, beyond];
  return { name: fact, ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
}

/** The request after these answers; undefined: the limit is found, or cannot be. */
export function nextOf(
  search: LimitSearch,
  inputs: QuestionInputs,
  answers: readonly KnownAnswer[],
): Step | undefined {
  const isClear = answers.every((answer) => isAccepted(answer) || search.isRefusal(answer));
  const bounds = boundsOf(search, answers);
  if (!isClear || bounds.control) return undefined;
  const value = valueAfter(search, bounds, answers.length);
  if (value !== undefined) return search.step(inputs, value);
  const { refused, taken } = bounds;
  return refused === undefined || taken === undefined ? undefined : search.control?.(inputs, refused);
}

/** How many values are asked at most after a rung was taken. */
export function mostHalvings({ rungs, coarse }: LimitSearch): number {
  const gaps = rungs.slice(1).map((rung, index) => Math.abs(rung - (rungs[index] ?? rung)));
  const halvings = gaps.map((gap) =>
    gap > coarse
      ? Math.ceil(Math.log2(Math.ceil(gap / coarse))) + Math.ceil(Math.log2(coarse))
      : Math.ceil(Math.log2(gap)),
  );
  return Math.max(0, ...halvings);
}

function valueAfter(
  { rungs, coarse }: LimitSearch,
  { refused, taken }: LimitBounds,
  asked: number,
): number | undefined {
  if (taken === undefined) return rungs[asked];
  if (refused === undefined) return undefined;
  const gap = Math.abs(taken - refused);
  if (gap <= 1) return undefined;
  const unit = gap > coarse ? coarse : 1;
  return Math.round((taken + refused) / 2 / unit) * unit;
}
