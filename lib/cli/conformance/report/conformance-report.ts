import { type Conclusion, type Verdict } from '../conclusion.js';
import { type LetterQuestion } from './letter-questions.js';

/** What a report is written from. */
export interface ConformanceReport {
  /** The host of the gateway's address. */
  readonly gateway: string;
  readonly observedAt: Date;
  readonly conclusions: readonly Conclusion[];
  /** Points that no request can find out. */
  readonly notAsked: readonly { readonly point: string; readonly why: string }[];
  /** What is left for the support of the gateway. */
  readonly letter: readonly LetterQuestion[];
  /** What the profile has no value for, though it was asked, in a sentence; undefined: nothing. */
  readonly withoutValue: string | undefined;
  /** Options of the module, as TypeScript; undefined: the defaults fit. */
  readonly options: string | undefined;
}

/** The part of a report about one verdict. */
export interface ReportSection {
  readonly title: string;
  readonly explains: string;
  readonly conclusions: readonly Conclusion[];
}

const SECTIONS: Readonly<Record<Verdict, readonly [title: string, explains: string]>> = {
  differs: ['Differs', 'The gateway does not do what the specification says, or what this tool knows.'],
  learnt: ['Learnt', 'The specification leaves it open, and the gateway showed it.'],
  held: ['Held', 'The gateway does what the specification says.'],
  silent: ['Silent', 'Nothing can be concluded.'],
};

/** The parts of a report, what needs a look first. A part without conclusions is left out. */
export function reportSections(conclusions: readonly Conclusion[]): readonly ReportSection[] {
  return (Object.keys(SECTIONS) as readonly Verdict[])
    .map((verdict) => {
      const [title, explains] = SECTIONS[verdict];
      return { title, explains, conclusions: conclusions.filter((one) => one.verdict === verdict) };
    })
    .filter((section) => section.conclusions.length > 0);
}
