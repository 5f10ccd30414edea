import { type Duration } from '../../clock/duration.js';

type Body = Readonly<Record<string, unknown>>;

// The body fits the document, so a field that is present has the right type.

export function optionalText(body: Body, field: string): string | undefined {
  return body[field] as string | undefined;
}

export function text(body: Body, field: string): string {
  return body[field] as string;
}

export function optionalNumber(body: Body, field: string): number | undefined {
  return body[field] as number | undefined;
}

export function optionalFlag(body: Body, field: string): boolean | undefined {
  return body[field] as boolean | undefined;
}

export function optionalDuration(body: Body, field: string): Duration | undefined {
  return body[field] as Duration | undefined;
}

export function items(body: Body): readonly unknown[] {
  return body['items'] as readonly unknown[];
}
