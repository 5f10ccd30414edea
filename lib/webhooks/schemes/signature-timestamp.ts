import { type SignatureTimestampOptions } from './hmac-options.js';

type Unit = SignatureTimestampOptions['unit'];

/** No leading zero, no sign, no fraction: one moment has one spelling. */
const WHOLE_NUMBER = /^[1-9]\d{0,14}$/;
const ISO_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** Reads a signed time as milliseconds since 1970; undefined where it is not exactly in its unit's form. */
function parseTimestamp(text: string, unit: Unit): number | undefined {
  if (unit === 'iso') {
    const moment = ISO_MOMENT.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(moment) ? undefined : moment;
  }
  if (!WHOLE_NUMBER.test(text)) return undefined;
  return unit === 's' ? Number(text) * 1_000 : Number(text);
}

/** Writes a moment the way a sender would. */
export function formatTimestamp(now: number, unit: Unit): string {
  if (unit === 'iso') return new Date(now).toISOString();
  return String(Math.floor(unit === 's' ? now / 1_000 : now));
}

/** Why a signed time is none, or not one of now in either direction; undefined where it is. */
export function timestampProblem(
  { unit, toleranceSeconds }: Pick<SignatureTimestampOptions, 'unit' | 'toleranceSeconds'>,
  text: string,
  now: number,
): string | undefined {
  const moment = parseTimestamp(text, unit);
  if (moment === undefined) return 'the timestamp is malformed';
  return Math.abs(now - moment) <= toleranceSeconds * 1_000 ? undefined : 'the timestamp is too far from now';
}
