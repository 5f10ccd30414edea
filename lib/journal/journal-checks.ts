import { unknownFields } from '../errors/option-errors.js';
import { signalProblem } from '../common/abort-signal.js';
import { isRecord } from '../common/json-object.js';
import { waitProblem } from '../common/milliseconds.js';
import { FINAL_STATUSES, PAYMENT_FAMILIES, type PaymentFamily } from '../common/vocabulary.js';
import {
  PaymentsConfigError,
  type PaymentsError,
  PaymentsValidationError,
} from '../errors/payments-errors.js';
import { notByThisCall } from './payment/repeated-call-errors.js';

/** @throws PaymentsValidationError if no reference is given, or there is no such family. */
export function checkPayment(family: unknown, reference: unknown): void {
  if (typeof reference !== 'string' || reference === '') {
    const problem = 'reference must be a text that is not empty: write that of the payment';
    throw wrongCall({ reference: [problem] }, reference);
  }
  if (typeof family === 'string' && Object.hasOwn(FINAL_STATUSES, family)) return;
  const families = PAYMENT_FAMILIES.map((one) => `'${one}'`);
  throw wrongCall({ family: [`family must be ${families.join(' or ')}`] }, reference);
}

/** @throws PaymentsValidationError if `checkPayment` throws it, or payments of the family cannot end so. */
export function checkOutcome(family: PaymentFamily, outcome: unknown, reference: unknown): void {
  checkPayment(family, reference);
  const outcomes: readonly unknown[] = FINAL_STATUSES[family];
  if (outcomes.includes(outcome)) return;
  const problem = `outcome must be a final status of a ${family}: ${outcomes.join(', ')}`;
  throw wrongCall({ outcome: [problem] }, reference);
}

/** What is wrong with the value of an option; undefined if nothing is. */
type OptionRule = (value: unknown) => string | undefined;

const unlessAbsent =
  (rule: OptionRule): OptionRule =>
  (value) =>
    value === undefined ? undefined : rule(value);

const signal = unlessAbsent(signalProblem);

/** An option that the package alone gives. */
const internal: OptionRule = () => undefined;

const OPTIONS = {
  waitForOutcome: { timeoutMs: (value) => waitProblem(value, { example: '60_000' }), signal },
  unresolved: {
    olderThanMs: unlessAbsent((value) =>
      Number.isSafeInteger(value) && Number(value) >= 0
        ? undefined
        : 'must be a whole number of milliseconds, 0 or more: write 3_600_000, or leave it out',
    ),
  },
  settle: {
    attempt: unlessAbsent((value) =>
      Number.isInteger(value) && Number(value) > 0
        ? undefined
        : 'must be the number of an attempt, 1 or more: write that of the journal entry, or leave it out',
    ),
    failedAt: internal,
  },
  reseal: { signal },
} satisfies Readonly<Record<string, Readonly<Record<string, OptionRule>>>>;

/**
 * Checks the options of a method of the journal.
 *
 * @throws PaymentsValidationError if they are no object, or one of them is wrong or unknown: without a misspelled `attempt`, for
 * example, another attempt would be settled.
 */
export function checkOptions(method: keyof typeof OPTIONS, options: unknown, reference?: unknown): void {
  const rules: Readonly<Record<string, OptionRule>> = OPTIONS[method];
  const names = Object.keys(rules).filter((name) => rules[name] !== internal);
  if (!isRecord(options)) {
    throw wrongCall({ options: [`options must be an object with ${names.join(' and ')}`] }, reference);
  }
  const said = Object.fromEntries(Object.entries(options).filter(([name]) => rules[name] !== internal));
  const problems: Record<string, string[]> = { ...unknownFields(said, names) };
  for (const [name, rule] of Object.entries(rules)) {
    const problem = rule(options[name]);
    if (problem !== undefined) problems[name] = [`options.${name} ${problem}`];
  }
  if (Object.keys(problems).length > 0) throw wrongCall(problems, reference);
}

/** The error of `reseal()` without the option `encryption`. */
export function noKeyToSealWith(missing: string): PaymentsConfigError {
  return new PaymentsConfigError(
    `${missing}, so there is no key to seal with: write encryption: aesGcm({ keys: { '2026-11': key }, current: '2026-11' }).`,
  );
}

/** Only the journal knows what happened to the payment, and nobody has looked. */
function wrongCall(problems: Readonly<Record<string, string[]>>, reference: unknown): PaymentsError {
  const details = typeof reference === 'string' ? { reference } : {};
  const error = new PaymentsValidationError(problems, details);
  return notByThisCall(error, 'The payment stays as it is.');
}
