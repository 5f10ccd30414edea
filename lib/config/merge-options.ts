import { definedFields, isRecord, withInherited } from '../common/json-object.js';
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

function joined(
  given: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const [one, other] = [withInherited(given, names), withInherited(over, names)];
  return { ...one, ...other, ...definedFields(one), ...definedFields(other) };
}
