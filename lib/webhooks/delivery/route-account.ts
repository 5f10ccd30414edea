import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/** The account of a webhook route; or that the path of each request names it. */
export type RouteAccount = string | typeof NAMED_BY_PATH;

/** The parameter `:account` of a route's path names the account. */
export const NAMED_BY_PATH = Symbol('nestjs-payments.named-by-path');

const PARAMETER = ':account';
/** Not `:accountId`. */
const PARAMETER_IN_SEGMENT = /:account(?![\p{ID_Continue}$])/u;

/**
 * Whether a parameter of a route's path names the account.
 *
 * @throws PaymentsConfigError if the parameter is not one whole segment of the path.
 */
function namesAccount(path: string): boolean {
  const segments = path.split('/').filter((segment) => PARAMETER_IN_SEGMENT.test(segment));
  if (segments.length === 0) return false;
  if (segments.length === 1 && segments[0] === PARAMETER) return true;
  throw new PaymentsConfigError(
    `The parameter :account of the webhook route ${path} is not one whole segment of the path: write for example payments/:account.`,
  );
}

/**
 * The account of a webhook route.
 *
 * @param declared What the decorator or the guard of the route says.
 */
export function accountOfRoute(declared: string | undefined, path: string): RouteAccount {
  return declared ?? (namesAccount(path) ? NAMED_BY_PATH : DEFAULT_ACCOUNT);
}

/** The account that a path names, as the router reads it; undefined if it is not written as a URL is. */
export function accountNamedBy(path: string, route: string): string | undefined {
  const index = route.split('/').filter(isText).indexOf(PARAMETER);
  try {
    return decodeURIComponent(path.split('/').filter(isText)[index] ?? '');
  } catch {
    return undefined;
  }
}

function isText(segment: string): boolean {
  return segment !== '';
}
