import { definedFields, isRecord } from '../common/json-object.js';

/**
 * Merges the options beside the factory over the factory's result. Joins the `webhooks` sections, so that the
 * secrets may come from the environment and the scheme from the code. Ignores undefined options.
 */
export function mergeOptions(fromFactory: unknown, beside: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(fromFactory)) return fromFactory;
  const merged = { ...fromFactory, ...definedFields(beside) };
  const sections = [fromFactory['webhooks'], beside['webhooks']].filter(isRecord);
  return sections.length < 2
    ? merged
    : { ...merged, webhooks: Object.assign({}, ...sections.map(definedFields)) as unknown };
}
