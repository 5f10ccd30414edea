import { type GatewayCall } from './gateway-call.js';

/** Fields whose values a gateway message may safely repeat. */
const HARMLESS = new Set(['reference', 'currency', 'channel', 'network', 'bank_code', 'amount']);
/** Fields that a gateway may repeat in part, or in another order. */
const NAMES = new Set(['customer_name', 'recipient_name', 'account_name']);

/** What a request says about people: nothing of it may stand in an error or a log line. */
export function sensitiveTexts(call: GatewayCall<object>): string[] {
  return Object.entries(call.body ?? {}).flatMap(([field, value]) => {
    if (HARMLESS.has(field)) return [];
    const texts = textsIn(value);
    return NAMES.has(field) ? [...texts, ...texts.flatMap((text) => text.split(/[\s,.]+/))] : texts;
  });
}

/** Every text in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
