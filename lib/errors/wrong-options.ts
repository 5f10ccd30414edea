import { PaymentsConfigError } from './payments-errors.js';

/** The messages of an error that names several wrong options. */
const messagesOf = new WeakMap<PaymentsConfigError, readonly string[]>();

/** One message for each wrong option that an error names. */
export function optionMessages(error: PaymentsConfigError): readonly string[] {
  return messagesOf.get(error) ?? [error.message];
}

/** @throws PaymentsConfigError that names the wrong options of all errors, if there are any. A single one stays as it is. */
export function throwJoined(errors: readonly PaymentsConfigError[]): void {
  const [first] = errors;
  if (!first) return;
  const messages = [...new Set(errors.flatMap(optionMessages))];
  if (messages.length === 1) throw first;
  const lines = messages.map((message) => `\n- ${message}`);
  const joined = new PaymentsConfigError(`${messages.length} options are wrong:${lines.join('')}`);
  messagesOf.set(joined, messages);
  throw joined;
}

/**
 * Calls every reader, even after one has failed.
 *
 * @throws PaymentsConfigError that names every wrong option.
 */
export function readAll<Read extends Readonly<Record<string, unknown>>>(readers: {
  readonly [Name in keyof Read]: () => Read[Name];
}): Read {
  const names = Object.keys(readers);
  const read = readEach(Object.values<() => unknown>(readers));
  return Object.fromEntries(names.map((name, index) => [name, read[index]])) as Read;
}

/**
 * Does the same for a list.
 *
 * @throws PaymentsConfigError
 */
export function readEach<Read>(readers: readonly (() => Read)[]): readonly Read[] {
  const errors: PaymentsConfigError[] = [];
  const read = readers.map((reader) => noting(errors, reader));
  throwJoined(errors);
  return read as readonly Read[];
}

/** Notes the error of a reader. Returns undefined then. */
export function noting<Read>(errors: PaymentsConfigError[], reader: () => Read): Read | undefined {
  try {
    return reader();
  } catch (error) {
    if (!(error instanceof PaymentsConfigError)) throw error;
    errors.push(error);
    return undefined;
  }
}
