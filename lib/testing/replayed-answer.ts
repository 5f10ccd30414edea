import { formatCents, moneyFromWire, parseCents } from '../common/money.js';
import { isRecord } from '../common/json-object.js';
import { REDACTED } from '../gateway-profile/gateway-recording.js';

type Fields = Readonly<Record<string, unknown>>;

/** A recorded body as the answer to a request: with its values where the gateway echoes them, and made-up texts elsewhere. */
export function replayedBody(body: Fields, request: Fields, now: Date): Fields {
  const filled = fill(body, request, now) as Fields;
  const { data } = filled;
  return isRecord(data) ? { ...filled, data: withSums(data, body['data'], request) } : filled;
}

function fill(value: unknown, request: Fields, now: Date, name = ''): unknown {
  if (Array.isArray(value)) return value.map((entry) => fill(entry, request, now));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([field, entry]) => [field, fill(entry, request, now, field)]),
    );
  }
  return value === REDACTED ? textFor(name, request, now) : value;
}

function textFor(name: string, request: Fields, now: Date): string {
  const asked = request[name === 'customer_phone' ? 'phone' : name];
  if (typeof asked === 'string') return asked;
  return name.endsWith('_at') ? now.toISOString() : `recorded ${name}`;
}

/** The amounts of the request, in the JSON types of the recording. If nobody can read the amount, the recorded ones stay. */
function withSums(data: Fields, recorded: unknown, { reference, amount }: Fields): Fields {
  if (!isRecord(recorded) || !('amount' in recorded) || amount === undefined) return data;
  const asked = centsOf(amount);
  const sums = asked === undefined ? {} : sumsOf(asked, centsOf(recorded['fee']) ?? 0n);
  const own = Object.entries(sums).filter(([field]) => field in recorded);
  return {
    ...data,
    ...Object.fromEntries(own.map(([field, sum]) => [field, inTypeOf(recorded[field], sum)])),
    ...('reference' in recorded && { reference }),
  };
}

function sumsOf(asked: bigint, fee: bigint): Readonly<Record<string, string>> {
  return {
    amount: formatCents(asked),
    net_amount: formatCents(asked - fee),
    total_amount: formatCents(asked + fee),
  };
}

/** A fee may be 0, and a database writes "500.0000": no amount that an application may send. */
function centsOf(value: unknown): bigint | undefined {
  return parseCents(moneyFromWire(value) ?? '');
}

function inTypeOf(recorded: unknown, sum: string): string | number {
  return typeof recorded === 'number' ? Number(sum) : sum;
}
