import { definedFields, isRecord } from '../common/json-object.js';

/**
 * Merges the options beside the factory over the factory's result. Joins the `webhooks` sections, so that the
 * secrets may come from the environment and the scheme from the code. Undefined options override nothing, but keep their names,
 * so that a misspelled one is refused.
 */
export function mergeOptions(fromFactory: unknown, beside: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(fromFactory)) return fromFactory;
  const merged = joined(fromFactory, beside);
  const [first, second] = [fromFactory['webhooks'], beside['webhooks']];
  return isRecord(first) && isRecord(second) ? { ...merged, webhooks: joined(first, second) } : merged;
}

function joined(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...one, ...other, ...definedFields(one), ...definedFields(other) };
}
