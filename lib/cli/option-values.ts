import { deliveryTarget } from '../sandbox/webhooks/endpoint-registry.js';
import { didYouMean } from '../common/closest-word.js';
import { asUsage, UsageError } from './usage-error.js';

/** @throws UsageError if an option has an empty text: a variable of a shell that is not set gives one. */
export function refuseEmpty(values: object): void {
  const empty = Object.entries(values).find(([, value]) => [value].flat().includes(''));
  if (empty) throw new UsageError(`--${empty[0]} is empty: write its value, or leave it out.`);
}

/** @throws UsageError if it is not a whole number within the bounds. */
export function wholeNumber(
  option: string,
  text: string | undefined,
  [smallest, largest]: readonly [number, number],
): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) >= smallest && Number(text) <= largest) return Number(text);
  throw new UsageError(`${option} must be a whole number from ${smallest} to ${largest}.`);
}

/** @throws UsageError if it is not one of the words. */
export function oneOf<const Word extends string>(
  option: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const found = words.find((word) => word === text);
  if (found !== undefined || text === undefined) return found;
  throw new UsageError(`${option} must be one of ${words.join(', ')}.${didYouMean(text, words)}`);
}

/** @throws UsageError if it is not a whole http address, or contains a password. */
export function httpAddress(option: string, text: string): URL {
  return addressOf(text, true, `${option} must be a whole http or https address without a password`);
}

/** @throws UsageError if it is not a whole http address of this machine, or contains a password. */
export function localAddress(option: string, text: string): URL {
  return addressOf(text, false, `${option} must be an address on this machine, without a password`);
}

function addressOf(text: string, allowRemote: boolean, problem: string): URL {
  const worded = (): string => `${problem}: write http://127.0.0.1:3000/webhooks/payments.`;
  return asUsage(() => deliveryTarget(text, allowRemote), worded);
}
