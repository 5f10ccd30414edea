import { isPaymentsError } from '../../errors/payments-errors.js';

/** What one read of the balance showed. */
export type GatewaySign =
  | { readonly sign: 'accepted' }
  /** It definitely does not work. */
  | { readonly sign: 'broken'; readonly problem: string }
  /** The gateway is there, and has too many requests of this account. */
  | { readonly sign: 'busy' }
  /** Nothing can be told from it. */
  | { readonly sign: 'unclear' };

/** What is known of the gateway. */
export interface GatewayHealth {
  /** `unclear`: nothing was told clearly yet. */
  readonly status: 'up' | 'down' | 'unclear';
  readonly problem?: string;
  /** How many reads in a row told nothing. */
  readonly unclearReads: number;
}

/** One answer that says nothing must not make an application flap; so many in a row do say something. */
const UNCLEAR_READS_ARE_DOWN = 3;

/** Reads an error of the balance. */
export function signOf(error: unknown): GatewaySign {
  if (!isPaymentsError(error)) return { sign: 'unclear' };
  switch (error.name) {
    case 'PaymentsAuthenticationError':
      return { sign: 'broken', problem: `The gateway does not accept the credentials (${error.code}).` };
    case 'PaymentsConfigError':
      return { sign: 'broken', problem: 'The gateway redirects: baseUrl is not its own address.' };
    case 'PaymentsRateLimitError':
      return { sign: 'busy' };
    case 'GatewayUnreachableError': {
      const code = error.attempts?.at(-1)?.code ?? 'NETWORK_ERROR';
      // The account's own calls filled the time.
      if (code === 'QUEUE_TIMEOUT') return { sign: 'busy' };
      return { sign: 'broken', problem: `The gateway cannot be reached (${code}).` };
    }
    default:
      return { sign: 'unclear' };
  }
}

/** Joins what is known with what was seen now. */
export function judgeGateway(before: GatewayHealth | undefined, seen: GatewaySign): GatewayHealth {
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
