import { type Story, type Timeline } from './story-book.js';

/** What happened to a reference, in the eyes of one merchant or of all. */
export function explain(book: Timeline, reference: string, merchant?: string): string {
  const stories = book.of(reference, merchant);
  if (stories.length === 0) return tellNothing(reference, book.references(merchant));
  return stories.map(tell).join('\n\n');
}

/** A story as text, one line for each thing that happened. */
function tell({ merchant, reference, lines }: Story): string {
  const rows = lines.map(({ at, what, text }) => `  ${at}  ${what.padEnd(8)}  ${printable(text)}`);
  return [`${printable(reference)} of ${merchant}, by the sandbox's clock:`, ...rows].join('\n');
}

/** Where nothing is known of a reference: which ones are. */
function tellNothing(reference: string, known: readonly string[]): string {
  const some = known.slice(-10).map(printable).join(', ');
  const others = known.length === 0 ? 'The sandbox has seen no reference yet.' : `Seen last: ${some}.`;
  return `Nothing has happened to ${printable(reference)}. ${others}`;
}

/** A hostile reference cannot move the cursor or forge a line. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\u{FFFD}');
}
