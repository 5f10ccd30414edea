import { type DeliveryPlan } from '../core/outcome-plan.js';
import { type Choices } from './choices.js';
import { type EventSubject, type VariedEvent } from '../core/gateway-context.js';
import { type WebhookPayload } from '../core/webhook-event.js';
import {
  addUnknownFields,
  type Change,
  type Fields,
  shuffleFields,
  varyMetadata,
  varyMoney,
  varyTimestamps,
} from './value-variations.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Varies a webhook within the specification. Its retries have the same bytes. */
export function varyEvent({ payload, plan, mayBeLate }: EventSubject, choices: Choices): VariedEvent {
  return {
    body: JSON.stringify(variedPayload(payload, choices), null, choices.pick([0, 0, 2])),
    contentType: choices.pick([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
    ]),
    plan: variedPlan(plan, mayBeLate, choices),
  };
}

function variedPayload({ event, created_at, data }: WebhookPayload, choices: Choices): Fields {
  const maybe = (fields: Fields, probability: number, change: Change): Fields =>
    choices.chance(probability) ? change(fields, choices) : fields;
  let fields: Fields = data;
  fields = maybe(fields, 0.5, varyMoney);
  fields = maybe(fields, 0.5, varyMetadata);
  fields = maybe(fields, 0.3, (before) => ({ ...before, channel: choices.pick(['WALLET_X', '', null]) }));
  fields = maybe(fields, 0.5, addUnknownFields);
  fields = maybe(fields, 0.3, shuffleFields);
  let whole: Fields = varyTimestamps({ event, created_at, data: fields }, choices, 'shown');
  whole = maybe(whole, 0.4, addUnknownFields);
  return maybe(whole, 0.3, shuffleFields);
}

function variedPlan(plan: DeliveryPlan, mayBeLate: boolean, choices: Choices): DeliveryPlan {
  const lateCopies = Array.from({ length: choices.pick([0, 0, 1, 2]) }, () =>
    choices.between(SECOND, 2 * HOUR),
  );
  return {
    ...plan,
    copies: plan.copies + choices.pick([0, 0, 1, 2]),
    atOnce: choices.chance(0.5),
    delayMs: mayBeLate ? choices.pick([0, 0, choices.between(1, 90 * SECOND)]) : 0,
    lateCopies,
  };
}
