import { isRecord, type OptionError, wholeNumber } from './option-checks.js';
import { type ResolvedPaymentsOptions, type ResolvedProbeWaits } from './resolved-options.js';

const COLLECTION_WAITS: ResolvedProbeWaits = { afterAnswerMs: 2_000, afterSilenceMs: 15_000 };
const DISBURSEMENT_WAITS: ResolvedProbeWaits = { afterAnswerMs: 40_000, afterSilenceMs: 40_000 };

type RecoveryOptions = Pick<
  ResolvedPaymentsOptions,
  'probe' | 'recoveryWindowMs' | 'staleAfterMs' | 'statusPaths'
>;

/** The options about payments whose outcome is still to come. */
export function resolveRecovery(options: Record<string, unknown>, error: OptionError): RecoveryOptions {
  const number = (option: string, fallback: number): number =>
    wholeNumber(error, option, options[option], { min: 1, max: Number.MAX_SAFE_INTEGER, fallback });
  return {
    probe: resolveProbe(options['probe'], error),
    recoveryWindowMs: number('recoveryWindowMs', 900_000),
    staleAfterMs: number('staleAfterMs', 3_600_000),
    statusPaths: resolveStatusPaths(options['statusPaths'] ?? {}, error),
  };
}

function resolveProbe(value: unknown, error: OptionError): RecoveryOptions['probe'] {
  if (value === false) return { collection: undefined, disbursement: undefined };
  const probe = value ?? {};
  if (!isRecord(probe)) throw error('probe', 'must be false or an object: write { collections: false }.');
  return {
    collection: resolveWaits(probe['collections'] ?? {}, 'probe.collections', COLLECTION_WAITS, error),
    disbursement: resolveWaits(
      probe['disbursements'] ?? false,
      'probe.disbursements',
      DISBURSEMENT_WAITS,
      error,
    ),
  };
}

function resolveWaits(
  value: unknown,
  option: string,
  fallback: ResolvedProbeWaits,
  error: OptionError,
): ResolvedProbeWaits | undefined {
  if (value === false) return undefined;
  if (!isRecord(value)) {
    throw error(option, 'must be false or an object: write { afterAnswerMs, afterSilenceMs }.');
  }
  const wait = (name: keyof ResolvedProbeWaits): number =>
    wholeNumber(error, `${option}.${name}`, value[name], { min: 0, fallback: fallback[name] });
  return { afterAnswerMs: wait('afterAnswerMs'), afterSilenceMs: wait('afterSilenceMs') };
}

function resolveStatusPaths(value: unknown, error: OptionError): RecoveryOptions['statusPaths'] {
  if (!isRecord(value))
    throw error('statusPaths', "must be an object: write { collection: '/…/{reference}' }.");
  const path = (family: string): string | undefined =>
    statusPath(value[family], `statusPaths.${family}`, error);
  return { collection: path('collection'), disbursement: path('disbursement') };
}

function statusPath(value: unknown, option: string, error: OptionError): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^\/[^\s#]*$/.test(value) && value.split('{reference}').length === 2) {
    return value;
  }
  throw error(
    option,
    "must be a path below baseUrl with {reference} in it once: write for example '/payments/{reference}'.",
  );
}
