import { isRecord } from '../../common/json-object.js';
import { formatCents } from '../../common/money.js';
import { LONGEST_METADATA } from '../../gateway-profile/facts.js';
import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { fieldErrors } from '../openapi/request-validation.js';
import { centsOf } from './amounts.js';
import { type GatewayOperation } from './operation.js';
import { invalidFields, invalidRequest, type Refusal } from './refusal.js';

type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** The fields of a request that the facts have a say in, once they fit the document. */
interface MoneyFields {
  readonly amount: number | string;
  readonly reference: string;
  readonly metadata?: unknown;
}

/** Refuses a request that does not fit the document, or what the facts add to it. */
export function wrongRequest(
  { makes, request }: Pick<GatewayOperation, 'makes' | 'request'>,
  { idempotencyKey, body }: { readonly idempotencyKey: string | undefined; readonly body: unknown },
  facts: ResolvedFacts,
): Refusal | undefined {
  const wrong: FieldErrors = request ? fieldErrors(request, body) : {};
  const errors: FieldErrors = {
    ...(makes && !idempotencyKey ? { 'Idempotency-Key': ['The Idempotency-Key header is required.'] } : {}),
    ...(makes && moneyErrors(makes, body as MoneyFields, wrong, facts)),
    ...wrong,
  };
  if (Object.keys(errors).length === 0) return undefined;
  const isByCode = makes === 'collection' && facts['wrong fields of a collection'] === 'INVALID_REQUEST';
  return isByCode && !isShownByField(request, errors)
    ? invalidRequest(Object.values(errors).flat().join(' '))
    : invalidFields(errors);
}

/** The specification shows messages by field for a phone at the partner wallet ("Errors" 1). */
function isShownByField(request: GatewayOperation['request'], errors: FieldErrors): boolean {
  return request === 'PartnerWalletCollectionRequest' && 'phone' in errors;
}

/** What the facts say against fields that fit the document. */
function moneyErrors(
  makes: 'collection' | 'payout',
  { amount, reference, metadata }: MoneyFields,
  wrong: FieldErrors,
  facts: ResolvedFacts,
): FieldErrors {
  const errors: Record<string, readonly string[]> = {};
  const longest = facts['longest reference'];
  if (!wrong['reference'] && Array.from(reference).length > longest)
    errors['reference'] = [`The reference must be text of 1 to ${longest} characters.`];
  if (!wrong['metadata'] && isTooLong(metadata, facts['longest metadata']))
    errors['metadata'] = [`The metadata may have ${facts['longest metadata']} bytes.`];
  if (wrong['amount']) return errors;
  const smallest = BigInt(facts['smallest amount']);
  if (typeof amount === 'string' && facts['amount as text'] === 'refused')
    errors['amount'] = ['The amount must be a number.'];
  else if (makes === 'collection' && centsOf(amount) < smallest)
    errors['amount'] = [`The amount must be at least ${formatCents(smallest)}.`];
  return errors;
}

/** The largest value of the fact stands for no limit. */
function isTooLong(metadata: unknown, longest: number): boolean {
  if (metadata === undefined || longest >= LONGEST_METADATA) return false;
  return Buffer.byteLength(JSON.stringify(metadata)) > longest;
}

/** The body with an amount of two decimals, if the facts say that the gateway rounds or cuts a longer one. */
export function withTwoDecimals(body: unknown, facts: ResolvedFacts): unknown {
  if (facts['three decimals'] === 'refused' || !isRecord(body)) return body;
  const { amount } = body;
  const [, whole, cents, rest] = /^(0|[1-9]\d{0,12})\.(\d\d)(\d+)$/.exec(String(amount)) ?? [];
  if (whole === undefined || cents === undefined || rest === undefined) return body;
  const rounds = facts['three decimals'] === 'rounded' && rest >= '5';
  const text = formatCents(BigInt(whole + cents) + (rounds ? 1n : 0n));
  return { ...body, amount: typeof amount === 'number' ? Number(text) : text };
}
