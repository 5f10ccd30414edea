import { type SignatureTimestampOptions } from '../../webhooks/signature/hmac-options.js';

type TimestampUnit = SignatureTimestampOptions['unit'];
export type Headers = ReadonlyMap<string, readonly string[]>;

/** One order of signed parts, with the values of the delivery. */
export interface PayloadVariant {
  /** The template in the form of `--payload`. */
  readonly payload: string;
  /** Header of the signed time; undefined if the time is inside the signature's header, or unsigned. */
  readonly timestampHeader?: string | undefined;
  readonly timestampUnit?: TimestampUnit;
  readonly idHeader?: string | undefined;
  /** The parts in their order. `BODY` is the placeholder of the body. */
  readonly parts: readonly string[];
}

interface HeaderValue {
  /** Undefined: the time is inside another header. */
  readonly header: string | undefined;
  readonly value: string;
}

/** The placeholder of the body among the parts. */
export const BODY = '{body}';

const BODY_ALONE: PayloadVariant = { payload: BODY, parts: [BODY] };
const WITH_TIME = [
  '{timestamp}.{body}',
  '{timestamp}{body}',
  '{timestamp}:{body}',
  'v0:{timestamp}:{body}',
  '{body}{timestamp}',
  '{body}.{timestamp}',
];
const WITH_ID_AND_TIME = ['{id}.{timestamp}.{body}', '{timestamp}.{id}.{body}'];
const TIME = /^(?:\d{10}|\d{13}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))$/;

/** The usual payloads, the simplest first. */
export function payloadVariants(headers: Headers): readonly PayloadVariant[] {
  const times = timesOf(headers);
  const ids = single(headers).filter(({ header }) => /(?:^|-)id$/.test(header));
  return [
    BODY_ALONE,
    ...times.flatMap((time) => WITH_TIME.map((payload) => filled(payload, time))),
    ...times.flatMap((time) =>
      ids.flatMap((id) => WITH_ID_AND_TIME.map((payload) => filled(payload, time, id))),
    ),
  ];
}

/** The times in a delivery's headers, in milliseconds since 1970. */
export function shownMoments(headers: Headers): readonly number[] {
  return timesOf(headers).map(({ value }) => {
    const unit = unitOf(value);
    if (unit === 'iso') return Date.parse(value);
    return unit === 'ms' ? Number(value) : Number(value) * 1_000;
  });
}

function unitOf(time: string): TimestampUnit {
  if (time.includes('T')) return 'iso';
  return time.length > 10 ? 'ms' : 's';
}

function filled(payload: string, time: HeaderValue, id?: HeaderValue): PayloadVariant {
  const values: Readonly<Record<string, string | undefined>> = {
    '{timestamp}': time.value,
    '{id}': id?.value,
  };
  return {
    payload,
    timestampHeader: time.header,
    timestampUnit: unitOf(time.value),
    idHeader: id?.header,
    parts: payload
      .split(/(\{\w+\})/)
      .filter((piece) => piece !== '')
      .map((piece) => values[piece] ?? piece),
  };
}

function timesOf(headers: Headers): HeaderValue[] {
  const own = single(headers).filter(({ value }) => TIME.test(value));
  const inside = single(headers).flatMap(({ value }) =>
    [...value.matchAll(/(?:^|,)\s*t=(\d+)/g)].map(([, time = '']) => ({ header: undefined, value: time })),
  );
  return [...own, ...inside];
}

function single(headers: Headers): { readonly header: string; readonly value: string }[] {
  return [...headers].flatMap(([header, values]) => values.map((value) => ({ header, value })));
}
