import { randomBytes } from 'node:crypto';
import { type WebhookScheme } from '../../../common/webhook-scheme.js';
import { type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { learntKey, learntScheme } from '../../../webhooks/signature/learnt-scheme.js';
import { parseTimestamp } from '../../../webhooks/signature/signed-scheme.js';
import { type CapturedDelivery } from './captured-delivery.js';

const OTHER_KEY_BYTES = 32;

/** A delivery that a scheme explains. */
export interface SignedDelivery {
  readonly delivery: CapturedDelivery;
  /** Milliseconds since 1970; undefined if no time is signed. */
  readonly signedAt: number | undefined;
}

/**
 * The deliveries that the package takes by a scheme, if it also refuses them with another body and with another key. A signed time may
 * be any time: the clocks may differ.
 */
export function signedSo(
  deliveries: readonly CapturedDelivery[],
  facts: WebhookFacts,
  secrets: readonly string[],
): readonly SignedDelivery[] {
  const scheme = learntScheme(facts);
  const keys = secrets.map((secret) => learntKey(facts, secret));
  return deliveries.flatMap((delivery) => {
    const signedAt = signedTime(delivery, facts);
    const now = signedAt ?? delivery.machineTime;
    const isSigned = keys.some(
      (key) => isTaken(scheme, delivery, key, now) && isChecked(scheme, delivery, key, now),
    );
    return isSigned ? [{ delivery, signedAt }] : [];
  });
}

/** The header whose value changes with every signature. */
export function signatureHeader(facts: WebhookFacts): string {
  return facts.scheme === 'standardWebhooks' ? `${facts.prefix ?? 'webhook'}-signature` : facts.header;
}

function signedTime({ headers }: CapturedDelivery, facts: WebhookFacts): number | undefined {
  const only = (name: string): string => headers.get(name)?.[0] ?? '';
  switch (facts.scheme) {
    case 'hmac':
      return facts.timestamp && parseTimestamp(only(facts.timestamp.header), facts.timestamp.unit);
    case 'standardWebhooks':
      return parseTimestamp(only(`${facts.prefix ?? 'webhook'}-timestamp`), 's');
    case 'stripeStyle':
      return parseTimestamp(/(?:^|,)t=(\d+)/.exec(only(facts.header))?.[1] ?? '', facts.unit ?? 's');
  }
}

/** The negative control: neither a changed body nor another key gives this signature. */
function isChecked(scheme: WebhookScheme, delivery: CapturedDelivery, key: Uint8Array, now: number): boolean {
  const longer = Buffer.concat([delivery.body, Buffer.from(' ')]);
  const changed = Buffer.from(delivery.body);
  changed[0] = (changed[0] ?? 0) ^ 1;
  const bodies = delivery.body.length > 0 ? [longer, changed] : [longer];
  return (
    !bodies.some((body) => isTaken(scheme, { ...delivery, body }, key, now)) &&
    !isTaken(scheme, delivery, randomBytes(OTHER_KEY_BYTES), now)
  );
}

function isTaken(scheme: WebhookScheme, delivery: CapturedDelivery, key: Uint8Array, now: number): boolean {
  const verdict = scheme.verify(delivery, [key], now);
  return !(verdict instanceof Promise) && verdict.ok;
}
