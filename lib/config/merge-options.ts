import { isRecord } from './option-checks.js';

/**
 * Lays what stands beside the factory over what the factory returned; the `webhooks` sections are joined, so that the
 * secrets may come from the environment and the scheme from the code. An option that is undefined was left out.
 */
export function mergeOptions(fromFactory: unknown, beside: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(fromFactory)) return fromFactory;
  const merged = { ...fromFactory, ...given(beside) };
  const sections = [fromFactory['webhooks'], beside['webhooks']].filter(isRecord);
  return sections.length < 2
    ? merged
    : { ...merged, webhooks: Object.assign({}, ...sections.map(given)) as unknown };
}

function given(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
