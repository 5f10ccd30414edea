import { type CallEndEvent } from '../../common/call-diagnostics.js';
import { DEFAULT_TIMEOUT_MS } from '../../config/option-defaults.js';
import { isPaymentsError } from '../../errors/payments-errors.js';

/** The result of one read of the balance. */
export type GatewaySign =
  | { readonly sign: 'accepted' }
  /** Payments definitely do not work. */
  | { readonly sign: 'broken'; readonly problem: string }
  /** The gateway works, and gets too many requests of this account. */
  | { readonly sign: 'busy' }
  /** The result shows nothing clearly. */
  | { readonly sign: 'unclear' };

/** The known health of the gateway. */
export interface GatewayHealth {
  /** `unclear`: no read gave a clear result yet. */
  readonly status: 'up' | 'down' | 'unclear';
  readonly problem?: string;
  /** Number of unclear reads in a row. */
  readonly unclearReads: number;
}

/** A single unclear answer must not make an application flap. This many in a row count as down. */
const UNCLEAR_READS_ARE_DOWN = 3;

/**
 * What the other calls of the account show if none was answered for `silentMs`: a healthy call may take the module's
 * default `timeoutMs`, so none may have had the time to end.
 */
export function signOfSilence(silentMs: number): GatewaySign {
  return { sign: silentMs < DEFAULT_TIMEOUT_MS ? 'busy' : 'unclear' };
}

/** What the end of another call of the account shows. */
export function signOfCall({ outcome, error }: Pick<CallEndEvent, 'outcome' | 'error'>): GatewaySign {
  if (outcome === 'success') return { sign: 'accepted' };
  const isAnswered = error === 'PaymentRejectedError' || error === 'PaymentsRateLimitError';
  return { sign: isAnswered ? 'busy' : 'unclear' };
}

/** The sign of several calls: one that was accepted counts most, and one without a clear answer least. */
export function strongerSign(one: GatewaySign, other: GatewaySign): GatewaySign {
  return one.sign === 'accepted' || other.sign === 'unclear' ? one : other;
}

/**
 * Interprets an error of the balance read.
 *
 * @param others What the other calls of the account show since the last read.
 */
export function signOf(error: unknown, others: GatewaySign = { sign: 'unclear' }): GatewaySign {
  if (!isPaymentsError(error)) return { sign: 'unclear' };
  switch (error.name) {
    case 'PaymentsAuthenticationError':
      return { sign: 'broken', problem: `The gateway does not accept the credentials (${error.code}).` };
    case 'PaymentsConfigError':
      return { sign: 'broken', problem: 'The gateway redirects: baseUrl is not its own address.' };
    case 'PaymentsRateLimitError':
      return { sign: 'busy' };
    case 'PaymentsOverloadError':
      return others;
    case 'GatewayUnreachableError': {
      const code = error.attempts?.at(-1)?.code ?? 'NETWORK_ERROR';
      // The account's own calls used up the time: busy with a gateway that answers, or stuck at one that does not.
      if (code === 'QUEUE_TIMEOUT') return others;
      return { sign: 'broken', problem: `The gateway cannot be reached (${code}).` };
    }
    default:
      return { sign: 'unclear' };
  }
}

/** Combines the known health with a new result. */
export function updateHealth(before: GatewayHealth | undefined, seen: GatewaySign): GatewayHealth {
  const known: GatewayHealth = before ?? { status: 'unclear', unclearReads: 0 };
  switch (seen.sign) {
    case 'accepted':
      return { status: 'up', unclearReads: 0 };
    case 'broken':
      return { status: 'down', problem: seen.problem, unclearReads: 0 };
    case 'busy':
      return known;
    case 'unclear': {
      const unclearReads = known.unclearReads + 1;
      if (unclearReads < UNCLEAR_READS_ARE_DOWN || known.status === 'down') return { ...known, unclearReads };
      const problem = `The gateway gave no usable answer ${unclearReads} times in a row.`;
      return { status: 'down', problem, unclearReads };
    }
  }
}
