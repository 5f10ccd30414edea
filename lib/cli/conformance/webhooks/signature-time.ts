import { type SignedDelivery } from './signed-so.js';

/** How far the signed times are from the arrivals, as a clause; empty if no time is signed. */
export function clockClause(signed: readonly SignedDelivery[]): string {
  const skews = signed.flatMap(({ delivery, signedAt }) =>
    signedAt === undefined ? [] : [Math.round((delivery.machineTime - signedAt) / 1_000)],
  );
  if (skews.length === 0) return '';
  const [least, most] = [Math.min(...skews), Math.max(...skews)];
  const range = least === most ? `${least}` : `${least} to ${most}`;
  return `webhooks came ${range} s after the signed time`;
}
