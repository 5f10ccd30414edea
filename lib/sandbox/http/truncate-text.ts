/** Bytes of JSON that the journal keeps of one text: a character may take six. */
const KEPT_BYTES = 65_536;
const TRUNCATED = /… \(cut by the emulator: it had \d+ bytes\)$/;

/** A text as the journal keeps it: the beginning of a long one, with its length. */
export function truncateText(text: string): string {
  if (fits(text)) return text;
  let beginning = text.slice(0, KEPT_BYTES);
  while (!fits(beginning)) beginning = beginning.slice(0, beginning.length / 2);
  return `${beginning}… (cut by the emulator: it had ${Buffer.byteLength(text)} bytes)`;
}

/** Whether a body or a text is one that the journal cut. */
export function isTruncated(kept: unknown): boolean {
  return typeof kept === 'string' && TRUNCATED.test(kept);
}

/** The fields of a body as the journal keeps them: a copy, or the beginning of their text. */
export function truncateBody(fields: Readonly<Record<string, unknown>> | undefined, text: string): unknown {
  // A copy: a listener that changes it must not change the payment.
  return fields && fits(text) ? structuredClone(fields) : truncateText(text);
}

function fits(text: string): boolean {
  return Buffer.byteLength(JSON.stringify(text)) <= KEPT_BYTES;
}
