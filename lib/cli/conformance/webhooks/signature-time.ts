import { LEARNT_TOLERANCE_SECONDS } from '../../../webhooks/signature/learnt-scheme.js';
import { type CapturedDelivery } from './captured-delivery.js';
import { triesByEvent } from './delivery-tries.js';
import { type SignedDelivery } from './signed-so.js';
import { deliveriesFromTheirFirstTry, type WebhooksHeard } from './webhooks-heard.js';

/** How far the signed times are from the arrivals, as a clause; empty if no time is signed. */
export function clockClause(signed: readonly SignedDelivery[]): string {
  const skews = signed.flatMap(skewOf).map((skew) => Math.round(skew / 1_000));
  if (skews.length === 0) return '';
  const [least, most] = [Math.min(...skews), Math.max(...skews)];
  const range = least === most ? `${least}` : `${least} to ${most}`;
  return `webhooks came ${range} s after the signed time`;
}

/** First tries of the gateway that the package would refuse for their time. A later try may have the time of the first one. */
export function firstTriesOffTime(
  signed: readonly SignedDelivery[],
  heard: Pick<WebhooksHeard, 'deliveries' | 'asked'>,
): readonly SignedDelivery[] {
  const tries = [...triesByEvent(deliveriesFromTheirFirstTry(heard)).values()];
  const first: readonly CapturedDelivery[] = tries.flatMap(([one]) => one?.copies ?? []);
  const isOff = (skew: number): boolean => Math.abs(skew) > LEARNT_TOLERANCE_SECONDS * 1_000;
  return signed.filter((one) => first.includes(one.delivery) && skewOf(one).some(isOff));
}

/** Milliseconds from the signed time to the arrival; none if no time is signed. */
function skewOf({ delivery, signedAt }: SignedDelivery): readonly number[] {
  return signedAt === undefined ? [] : [delivery.machineTime - signedAt];
}
