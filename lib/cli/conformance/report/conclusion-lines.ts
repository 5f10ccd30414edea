import { type Paint } from '../../terminal.js';
import { type Conclusion, type Verdict } from '../conclusion.js';

const LOOKS = { held: 'green', differs: 'red', learnt: 'cyan', silent: 'dim' } as const;
const VERDICT_WIDTH = 9;
const SAYS_WIDTH = 62;
/** Enough to find the requests in a portal; the profile has all of them. */
const SHOWN_IDS = 2;

const VERDICTS = Object.keys(LOOKS) as readonly Verdict[];

/** One conclusion in a line: verdict, what was found, and what shows it or what is set by it. */
export function conclusionLine(
  conclusion: Conclusion,
  letterNumber: number | undefined,
  paint: Paint,
): string {
  const { verdict, question } = conclusion;
  // What is not known does not say what it is about.
  const says = verdict === 'silent' ? `${question}: ${conclusion.says}` : conclusion.says;
  const word = paint(LOOKS[verdict], verdict.padEnd(VERDICT_WIDTH));
  const more = moreOf(conclusion, letterNumber);
  return more === '' ? `${word} ${says}` : `${word} ${says.padEnd(SAYS_WIDTH)} ${paint('dim', more)}`;
}

export function conclusionsSummary(conclusions: readonly Conclusion[]): string {
  const counts = VERDICTS.map((verdict) => {
    return `${conclusions.filter((one) => one.verdict === verdict).length} ${verdict}`;
  });
  return `${conclusions.length} conclusions: ${counts.join(', ')}.`;
}

function moreOf({ verdict, evidence, option }: Conclusion, letterNumber: number | undefined): string {
  if (verdict === 'silent') return letterNumber === undefined ? '' : `question ${letterNumber} in the letter`;
  if (verdict === 'learnt') return option ?? 'nothing to set';
  if (evidence.length === 0) return '';
  const shown = evidence.slice(0, SHOWN_IDS).join(', ');
  // A webhook has no request id, and says itself what it is.
  return shown.startsWith('webhook-') ? shown : `request_id ${shown}`;
}
