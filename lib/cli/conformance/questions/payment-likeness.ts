import { type Accepted } from './step-answer.js';

/** Whether two successes are about one payment: a provider has a reference for each. */
export function isSamePayment(one: Accepted, other: Accepted): boolean {
  const reference = fieldOf(one, 'provider_reference');
  return isLikeness(reference) && reference === fieldOf(other, 'provider_reference');
}

/** Whether they are about two. A placeholder is the same for every payment. */
export function isOtherPayment(one: Accepted, other: Accepted): boolean {
  const reference = fieldOf(other, 'provider_reference');
  return isLikeness(reference) && reference !== fieldOf(one, 'provider_reference');
}

/** Whether each of them has a reference of the provider, and the two differ. */
export function areTwoPayments(one: Accepted, other: Accepted): boolean {
  return isOtherPayment(one, other) && isOtherPayment(other, one);
}

/** What is kept of a reference of the provider, if there was one. */
function isLikeness(reference: unknown): boolean {
  return typeof reference === 'string' && reference.startsWith('like ');
}

/** A field of `data`, as the journal keeps it. */
export function fieldOf({ data }: Accepted, field: string): unknown {
  return (data as Readonly<Record<string, unknown>> | undefined)?.[field];
}
