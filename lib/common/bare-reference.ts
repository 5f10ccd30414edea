const BLANK_ENDS = /^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu;

/** A reference without white space, control and invisible characters at its ends: what is left of it where somebody trims it. */
export function bareReference(reference: string): string {
  return reference.replace(BLANK_ENDS, '');
}
