import { type Paint } from '../../terminal.js';
import { type ProfileComparison } from './profile-changes.js';

/** What `--check` found, one change a line, and how much could be compared. */
export function changeLines(comparison: ProfileComparison, paint: Paint): readonly string[] {
  const { changed, notObserved } = comparison;
  return [
    ...changed.map(
      ({ says, before, now }) => `${paint('red', 'changed')}   ${says}: ${before} before, ${now} now`,
    ),
    ...(notObserved.length > 0 ? [`Not observed this time: ${notObserved.join('; ')}.`] : []),
    summaryOf(comparison),
  ];
}

/** The same as lines of JSON, the comparison last. */
export function changeJson(comparison: ProfileComparison): readonly string[] {
  const { changed, notObserved, known } = comparison;
  return [
    ...changed.map((change) => JSON.stringify({ changed: change })),
    JSON.stringify({
      comparison: { known, compared: comparedOf(comparison), changed: changed.length, notObserved },
    }),
  ];
}

/** How many facts could be compared. */
export function comparedOf({ known, notObserved }: ProfileComparison): number {
  return known - notObserved.length;
}

function summaryOf(comparison: ProfileComparison): string {
  const { changed, known } = comparison;
  const compared = comparedOf(comparison);
  if (compared === 0) return `Nothing could be compared: 0 of ${known} facts.`;
  const told = `${compared} of ${known} facts could be compared`;
  if (changed.length === 0) return `Nothing has changed: ${told}.`;
  return `${changed.length === 1 ? '1 fact has changed' : `${changed.length} facts have changed`}: ${told}.`;
}
