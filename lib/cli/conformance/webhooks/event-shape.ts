import { isRecord, jsonObject } from '../../../common/json-object.js';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isMoment: Check = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)$/.test(value);
const isAmount: Check = (value) => typeof value === 'string' && /^\d+\.\d\d$/.test(value);
const isTzs: Check = (value) => value === 'TZS';
const isMetadata: Check = (value) => value === null || isRecord(value);

/** The fields of an event (specification, "Events"). */
const EVENT: Readonly<Record<string, Check>> = { event: isText, created_at: isMoment, data: isRecord };
const DATA: Readonly<Record<string, Check>> = {
  reference: isText,
  amount: isAmount,
  currency: isTzs,
  status: isText,
  customer_name: isText,
  customer_email: isText,
  customer_phone: isText,
  channel: isText,
  provider_reference: isText,
  metadata: isMetadata,
};

/** A name of the gateway that can be told: no sentence, and no number that could be a person's. */
const PLAIN_NAME = /^[a-z](?:[a-z_.-]|\d(?!\d{4})){0,63}$/i;

/** What differs in a body from the specification, as clauses that name fields and hold no value. */
export function shapeDifferences(body: Buffer): readonly string[] {
  const event = jsonObject(body.toString('utf8'));
  if (!event) return ['the body is no JSON object'];
  const data = event['data'];
  return [...differences(event, EVENT, ''), ...(isRecord(data) ? differences(data, DATA, 'data.') : [])];
}

/** A name that the gateway chose, if it is one that can be told. */
export function toldName(name: string): string {
  return PLAIN_NAME.test(name) ? name : 'an unusual name';
}

function differences(
  fields: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, Check>>,
  path: string,
): readonly string[] {
  const known = Object.entries(expected).flatMap(([name, check]) => {
    if (!Object.hasOwn(fields, name)) return [`${path}${name} is missing`];
    return check(fields[name]) ? [] : [`${path}${name} has another form (${kindOf(fields[name])})`];
  });
  const added = Object.keys(fields).filter((name) => !Object.hasOwn(expected, name));
  return [...known, ...added.map((name) => `${path}${toldName(name)} is additional`)];
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
