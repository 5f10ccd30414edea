import { type OptionError, section, wholeNumber } from './option-checks.js';
import { type ResolvedPaymentsOptions, type ResolvedProbeWaits } from './resolved-options.js';

/** How long a probe waits at least, unless it is told otherwise. */
const COLLECTION_WAIT_MS = 15_000;
const DISBURSEMENT_WAIT_MS = 40_000;

type RecoveryOptions = Pick<
  ResolvedPaymentsOptions,
  'probe' | 'recoveryWindowMs' | 'staleAfterMs' | 'statusPaths'
>;

const PROBE = ['collections', 'disbursements'];
const WAITS = ['afterAnswerMs', 'afterSilenceMs'];
const FAMILIES = ['collection', 'disbursement'];

/** The options about payments whose outcome is still to come. */
export function resolveRecovery(options: Record<string, unknown>, error: OptionError): RecoveryOptions {
  const number = (option: string, fallback: number): number =>
    wholeNumber(error, option, options[option], { min: 1, max: Number.MAX_SAFE_INTEGER, fallback });
  return {
    probe: resolveProbe(options, error),
    recoveryWindowMs: number('recoveryWindowMs', 900_000),
    staleAfterMs: number('staleAfterMs', 3_600_000),
    statusPaths: resolveStatusPaths(section(options, 'statusPaths', error, FAMILIES), error),
  };
}

function resolveProbe(options: Record<string, unknown>, error: OptionError): RecoveryOptions['probe'] {
  if (options['probe'] === false) return { collection: undefined, disbursement: undefined };
  const probe = section(options, 'probe', error, PROBE);
  return {
    collection: resolveWaits(probe, 'collections', COLLECTION_WAIT_MS, error),
    disbursement:
      probe['disbursements'] === undefined
        ? undefined
        : resolveWaits(probe, 'disbursements', DISBURSEMENT_WAIT_MS, error),
  };
}

function resolveWaits(
  probe: Record<string, unknown>,
  name: string,
  fallbackMs: number,
  error: OptionError,
): ResolvedProbeWaits | undefined {
  if (probe[name] === false) return undefined;
  const waits = section(probe, name, (option, problem) => error(`probe.${option}`, problem), WAITS);
  const wait = (field: keyof ResolvedProbeWaits, fallback: number): number =>
    wholeNumber(error, `probe.${name}.${field}`, waits[field], { min: 0, fallback });
  const afterSilenceMs = wait('afterSilenceMs', fallbackMs);
  // A gateway that answers at once, that it failed, may still be making the payment: it needs as long as a silent one.
  return { afterAnswerMs: wait('afterAnswerMs', Math.max(fallbackMs, afterSilenceMs)), afterSilenceMs };
}

function resolveStatusPaths(
  paths: Record<string, unknown>,
  error: OptionError,
): RecoveryOptions['statusPaths'] {
  const path = (family: string): string | undefined =>
    statusPath(paths[family], `statusPaths.${family}`, error);
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
