import { type JournalRecord } from '../common/journal-port.js';

/**
 * What the JSON of a record holds where the same call wrote it: the age of an attempt counts from then. No other field can hold it,
 * because JSON escapes quotes inside of a text.
 */
export function intentText({ intent }: Pick<JournalRecord, 'intent'>): string {
  return `"intent":${JSON.stringify(intent)}`;
}
