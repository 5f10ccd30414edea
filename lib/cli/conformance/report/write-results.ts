import { writeFile } from 'node:fs/promises';
import { type GatewayProfile } from '../../../gateway-profile/gateway-profile.js';
import { type RecordedExchange } from '../../../gateway-profile/gateway-recording.js';
import { UsageError } from '../../usage-error.js';
import { type Conclusion } from '../conclusion.js';
import { ASKED_IN_PART, NOT_ASKED } from '../questions/not-asked.js';
import { type ResultFiles } from '../result-files.js';
import { htmlReport } from './html-report.js';
import { letterOf } from './letter.js';
import { type LetterQuestion } from './letter-questions.js';
import { markdownReport } from './markdown-report.js';
import { moduleOptionsText } from './module-options.js';
import { withoutValueSentence } from './observed-profile.js';
import { recordingOf } from './recording-of.js';

/** What a run found out. */
export interface ConformanceResults {
  readonly files: ResultFiles;
  /** The host of the gateway's address. */
  readonly gateway: string;
  readonly conclusions: readonly Conclusion[];
  readonly letter: readonly LetterQuestion[];
  readonly profile: GatewayProfile;
  /** Every answer that was heard. */
  readonly exchanges: readonly RecordedExchange[];
}

/**
 * Writes the files that were asked for, each a new one.
 *
 * @throws UsageError if one cannot be written.
 */
export async function writeResults({
  files,
  gateway,
  conclusions,
  letter,
  profile,
  exchanges,
}: ConformanceResults): Promise<void> {
  const report = {
    gateway,
    observedAt: new Date(profile.observedAt),
    conclusions,
    notAsked: Object.entries({ ...NOT_ASKED, ...ASKED_IN_PART }).map(([point, why]) => ({ point, why })),
    letter,
    withoutValue: withoutValueSentence(conclusions, profile),
    options: moduleOptionsText(profile),
  };
  const isHtml = files.report?.endsWith('.html') ?? false;
  await writeNew('--out', files.out, () => jsonText(profile));
  await writeNew('--report', files.report, () => (isHtml ? htmlReport(report) : markdownReport(report)));
  await writeNew('--record', files.record, () => jsonText(recordingOf(exchanges, report.observedAt)));
  await writeNew('--letter', files.letter, () => letterOf(letter));
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

async function writeNew(option: string, file: string | undefined, text: () => string): Promise<void> {
  if (file === undefined) return;
  try {
    await writeFile(file, text(), { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${option} cannot be written (${String(code)}): name a new file in a folder that is yours. With --journal and the name of the run's journal nothing is asked again.`,
    );
  }
}
