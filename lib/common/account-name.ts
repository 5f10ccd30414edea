/** Only ASCII, so that no two names look or compare equal after Unicode's normalization. */
const ACCOUNT_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** What a path means by these, whatever an account would mean. */
const PATH_STEPS: ReadonlySet<unknown> = new Set(['.', '..']);

/** The form of an account's name, for messages. */
export const ACCOUNT_NAME_RULE = '1 to 64 letters, digits, dots, dashes or underscores, but not "." or ".."';

/**
 * Whether a value may name an account. Every name that comes from outside is checked here and nowhere else. Upper and
 * lower case differ: `Shop` and `shop` are two accounts.
 */
export function isAccountName(value: unknown): value is string {
  return typeof value === 'string' && ACCOUNT_NAME.test(value) && !PATH_STEPS.has(value);
}

/**
 * Whether a name from a path may be looked up. Every object has properties such as `constructor`: a resolver that reads
 * an object by the name would find them.
 */
export function isAccountNameOfPath(value: unknown): value is string {
  return isAccountName(value) && !(value in Object.prototype);
}
