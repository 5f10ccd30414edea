import { describe, expect, it } from 'vitest';
import { GatewayUnreachableError } from '../../../../lib/errors/payments-errors.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { retryLater, describeEvent, errorText } from '../../../../lib/webhooks/delivery/webhook-answer.js';

describe('the answer to a delivery', () => {
  it.each([
    [-5_000, 1],
    [0, 1],
    [1_000, 1],
    [1_001, 2],
    [5_000, 5],
  ])('asks to come again after %d ms in %d seconds', (ms, retryAfterSeconds) => {
    expect(retryLater(ms)).toEqual({ status: 503, retryAfterSeconds });
  });
});

describe('a log line', () => {
  it('quotes what comes from outside', () => {
    const event = paymentEvent('payment.success', { reference: 'order\n1' });
    expect(describeEvent(event)).toBe('"payment.success" for the reference "order\\n1"');
  });

  it('is one line for its reader, whatever ends a line or controls a terminal', () => {
    const reference = 'a\u2028b\u2029c\u0085d\u009be\u007ff\u202eg';
    const event = paymentEvent('payment.success', { reference });
    expect(describeEvent(event)).toBe(
      '"payment.success" for the reference "a\\u2028b\\u2029c\\u0085d\\u009be\\u007ff\\u202eg"',
    );
    expect(describeEvent({ ...event, event: 'Zoë 😀' })).toContain('"Zoë 😀"');
  });

  it('has the stack of an error, or its message if it has no stack, and no other value', () => {
    const error = new Error('no stock');
    expect(errorText(error)).toBe(error.stack);
    delete error.stack;
    expect(errorText(error)).toBe('no stock');
    for (const value of ['no stock', undefined, { message: 'no stock' }]) {
      expect(errorText(value)).toBe('a value that is not an Error was thrown');
    }
  });
});

describe('the causes of an error in the log', () => {
  /** As the driver of a database throws it: its words repeat a value of the statement. */
  const ofDriver = (): Error =>
    Object.assign(new Error("Duplicate entry 'Asha Juma 255754000111' for key 'name'\n    at Asha Juma"), {
      name: 'QueryError',
      code: 'ER_DUP_ENTRY',
    });
  const textOf = (cause: unknown): string => errorText(new Error('Failed query', { cause }));

  it('have their class, their code and where they were thrown, and not their words', () => {
    const error = new Error('Failed query', { cause: ofDriver() });
    const text = errorText(error);
    expect(text.startsWith(`${error.stack}\n[cause]: QueryError (ER_DUP_ENTRY)\n    at ofDriver (`)).toBe(
      true,
    );
    expect(text).not.toMatch(/Asha|2557|Duplicate/);
  });

  it('name a refused connection, as fetch throws it', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' });
    expect(textOf(refused)).toContain('\n[cause]: Error (ECONNREFUSED)\n    at ');
  });

  it('have the words of the package, which hold nothing personal', () => {
    const unreachable = new GatewayUnreachableError('The gateway cannot be reached.');
    expect(textOf(unreachable)).toContain(
      '\n[cause]: GatewayUnreachableError: The gateway cannot be reached.\n    at ',
    );
  });

  it('are followed, and so are the errors of an AggregateError', () => {
    const deepest = Object.assign(new Error('d'), { code: 'D' });
    const tried = ['A', 'B'].map((code) => Object.assign(new Error(code), { code, cause: deepest }));
    const lines = textOf(new AggregateError(tried, 'c')).split('\n');
    expect(lines.filter((line) => line.startsWith('['))).toEqual([
      '[cause]: AggregateError',
      '[error]: Error (A)',
      '[cause]: Error (D)',
      '[error]: Error (B)',
      '[cause]: Error (D)',
    ]);
  });

  it('are few, and each is short: a cause may be its own cause', () => {
    const circle = new Error('a');
    circle.cause = circle;
    const many = new AggregateError(
      Array.from({ length: 50 }, () => new AggregateError([circle, circle], 'b')),
    );
    for (const cause of [circle, many]) {
      const lines = textOf(cause).split('\n').slice(new Error('a').stack!.split('\n').length);
      expect(lines.filter((line) => line.startsWith('[')).length).toBeLessThanOrEqual(8);
      expect(lines.length).toBeLessThanOrEqual(8 * 5);
    }
    const long = Object.assign(new Error('a'), { name: 'N'.repeat(1_000), code: 'C'.repeat(1_000) });
    expect(textOf(long)).not.toMatch(/NN|CC/);
  });

  it.each([undefined, null, 'Asha Juma', { message: 'Asha Juma' }])(
    'are no lines if they are no errors: %j',
    (cause) => {
      const error = new Error('Failed query', { cause });
      expect(errorText(error)).toBe(error.stack);
    },
  );

  it('need no list of errors', () => {
    const error = new AggregateError([], 'a');
    Object.defineProperty(error, 'errors', { value: undefined });
    expect(errorText(error)).toBe(error.stack);
  });

  it('need no stack', () => {
    const cause = ofDriver();
    delete cause.stack;
    const error = new Error('Failed query', { cause });
    expect(errorText(error)).toBe(`${error.stack}\n[cause]: QueryError (ER_DUP_ENTRY)`);
  });
});
