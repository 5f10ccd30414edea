import { isRecord } from './option-checks.js';

/**
 * Lays what stands beside the factory over what the factory returned; the `webhooks` sections are joined, so that the
 * secrets may come from the environment and the scheme from the code.
 */
export function mergeOptions(fromFactory: unknown, beside: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(fromFactory)) return fromFactory;
  const merged = { ...fromFactory, ...beside };
  const webhooks = [fromFactory['webhooks'], beside['webhooks']];
  return webhooks.every(isRecord)
    ? { ...merged, webhooks: Object.assign({}, ...webhooks) as unknown }
    : merged;
}
