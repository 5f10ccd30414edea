import { definedFields, isRecord } from '../common/json-object.js';
import { WEBHOOK_OPTIONS } from './option-defaults.js';
import { OPTION_NAMES } from './option-names.js';

const WEBHOOK_NAMES = Object.keys(WEBHOOK_OPTIONS);

/**
 * Merges the options beside the factory over the factory's result. Joins the `webhooks` sections, so that the
 * secrets may come from the environment and the scheme from the code. Undefined options override nothing, but keep their names,
 * so that a misspelled one is refused.
 */
export function mergeOptions(fromFactory: unknown, beside: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(fromFactory)) return fromFactory;
  const merged = joined(fromFactory, beside, OPTION_NAMES);
  const [first, second] = [fromFactory['webhooks'], beside['webhooks']];
  if (!isRecord(first) || !isRecord(second)) return merged;
  return { ...merged, webhooks: joined(first, second, WEBHOOK_NAMES) };
}

/**
 * The own fields of an object, and those of these names that it has from its class: a getter, for example. A copy alone would leave
 * them out, and a cap with them.
 */
export function withInherited<T extends object>(options: T, names: readonly string[]): T {
  const inherited = names.filter((name) => name in options && !Object.hasOwn(options, name));
  if (inherited.length === 0) return options;
  const fields = options as Readonly<Record<string, unknown>>;
  return { ...options, ...Object.fromEntries(inherited.map((name) => [name, fields[name]])) };
}

function joined(
  given: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const [one, other] = [withInherited(given, names), withInherited(over, names)];
  return { ...one, ...other, ...definedFields(one), ...definedFields(other) };
}
