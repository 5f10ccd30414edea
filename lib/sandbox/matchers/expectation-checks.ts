import { didYouMean } from '../../common/closest-word.js';
import { PAYMENT_EVENT_NAMES } from '../../common/events.js';
import { isRecord } from '../../common/json-object.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { OPERATIONS } from '../core/operations.js';
import { fieldNames } from '../openapi/request-validation.js';
import { isAsymmetric } from './expected-fields.js';
import { type MatcherSubject } from './subject.js';

/** @throws PaymentsConfigError for a name that the matcher does not know: with `not` it would fit everything. */
export function assertNames(matcher: string, expected: object, names: readonly string[]): void {
  const unknown = Object.keys(expected).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new PaymentsConfigError(
    `${matcher} knows no ${JSON.stringify(unknown)}: write ${names.join(', ')}.${didYouMean(unknown, names)}`,
  );
}

/** @throws PaymentsConfigError for what counts nothing: with `not` it would fit everything. */
export function assertCount(matcher: string, name: string, count: unknown, least: 0 | 1): void {
  if (count === undefined || (Number.isSafeInteger(count) && Number(count) >= least)) return;
  throw new PaymentsConfigError(
    `${matcher} takes a whole number from ${least} on as \`${name}\`: write { ${name}: 1 }.`,
  );
}

/** @throws PaymentsConfigError for what is no status of an answer: with `not` it would fit everything. */
export function assertStatus(matcher: string, status: unknown): void {
  if (status === undefined || status === null || isAsymmetric(status)) return;
  if (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599) return;
  throw new PaymentsConfigError(
    `${matcher} takes an HTTP status, or null without an answer, as \`status\`: write { status: 200 }.`,
  );
}

/** @throws PaymentsConfigError for a body with a field that the specification gives no request of the operation. */
export function assertBody(operation: SandboxOperation, body: unknown): void {
  if (!isRecord(body) || isAsymmetric(body)) {
    throw new PaymentsConfigError(
      'toHaveReceived takes the fields of a body, each of which may be a matcher: write { body: { amount: expect.any(Number) } }.',
    );
  }
  const { request } = OPERATIONS[operation];
  const names = request ? fieldNames(request) : [];
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new PaymentsConfigError(
    `The specification knows no ${JSON.stringify(unknown)} in the body of ${operation}: ` +
      (request ? `write ${names.join(', ')}.${didYouMean(unknown, names)}` : 'it has no body.'),
  );
}

/** @throws PaymentsConfigError for an event that the emulator never sends. */
export function assertEvent(event: string): void {
  if ((PAYMENT_EVENT_NAMES as readonly string[]).includes(event)) return;
  throw new PaymentsConfigError(
    `The emulator sends no event ${JSON.stringify(event)}: write one of ${PAYMENT_EVENT_NAMES.join(', ')}.` +
      didYouMean(event, PAYMENT_EVENT_NAMES),
  );
}

/** @throws PaymentsConfigError if a call that was dropped, or whose body was cut, could change the result. */
export function assertDecidable(
  subject: MatcherSubject,
  operation: SandboxOperation,
  {
    times,
    found,
    unclear,
  }: { readonly times: number | undefined; readonly found: number; readonly unclear: number },
): void {
  if (found > (times ?? 0)) return;
  if (unclear > 0) {
    throw new PaymentsConfigError(
      `toHaveReceived cannot compare the body of ${unclear} calls of ${operation}: the emulator keeps only the beginning of a ` +
        'body of more than 64 KiB, and its reference. Write { body: { reference } } alone, use toHaveCollection or ' +
        'toHavePayout, or let the test send less.',
    );
  }
  const dropped = subject.droppedRequests(operation);
  if (dropped === 0) return;
  throw new PaymentsConfigError(
    `toHaveReceived cannot count the calls of ${operation}: the emulator keeps the newest 4 MiB of calls and has dropped ` +
      `${dropped} of these. Call reset() between tests.`,
  );
}
