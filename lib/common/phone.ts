/** A phone number in the gateway's form: `255` and nine digits, no plus sign (specification, "Endpoints" 1). */
export const TZ_PHONE = /^255\d{9}$/;

/** Spaces and dashes of every kind, dots, brackets, and the invisible marks that come along from an address book. */
const SEPARATORS = /[\s\p{Cf}\p{Pd}().]/gu;
/** A decimal, which a spreadsheet makes of a number: its zeros would take the place of digits that are missing. */
const DECIMAL = /^[^.]*\.0{1,2}[\s\p{Cf}]*$/u;
/** `+255`, `00255` or `255`, with or without the `0` that is written in brackets; or `06` and `07`. */
const WRITTEN = /^(?:(?:\+|00)?2550?|0(?=[67]))([1-9]\d{8})$/;

/**
 * A Tanzanian phone number as the gateway wants it, however a person wrote it: `0712 345 678`,
 * `+255 712-345-678` and `255712345678` all become `255712345678`. Undefined for anything that is not surely
 * such a number; nothing is guessed, because money goes to it. So nine digits alone are refused, since any
 * one may be missing, and so is `25571234567.0`, which a spreadsheet writes.
 *
 * An international number keeps its nine digits, whatever they are; a local one has to be a mobile one
 * (`06…`, `07…`).
 *
 * @param phone What the person wrote; anything but a string is undefined.
 *
 * @example
 * ```ts
 * const phone = normalizeTzPhone(form.phone);
 * if (phone === undefined) throw new BadRequestException('Write your number as 0712 345 678.');
 * ```
 *
 * @example
 * ```ts
 * // In a DTO of your own: what cannot be read stays as it was, and the validation names the field.
 * @Transform(({ value }: { value: unknown }) => normalizeTzPhone(value) ?? value)
 * phone!: string;
 * ```
 *
 * @publicApi
 */
export function normalizeTzPhone(phone: unknown): string | undefined {
  if (typeof phone !== 'string' || DECIMAL.test(phone)) return undefined;
  const [, subscriber] = WRITTEN.exec(phone.replaceAll(SEPARATORS, '')) ?? [];
  return subscriber === undefined ? undefined : `255${subscriber}`;
}
