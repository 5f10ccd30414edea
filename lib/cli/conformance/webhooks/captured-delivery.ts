import { hash } from 'node:crypto';
import { isRecord, jsonObject } from '../../../common/json-object.js';

/** Longest text of an event's name or a reference that is read. */
const LONGEST_TEXT = 255;
const DIGEST_CHARACTERS = 12;

/** A POST as it came, with the answer that it got. Nothing in it is believed. */
export interface CapturedDelivery {
  /** When it came, by the clock of the waits. */
  readonly at: number;
  /** When it came, by the clock of this machine: senders sign that time. */
  readonly machineTime: number;
  readonly method: string;
  readonly url: string;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  /** The HTTP status that it was answered with. */
  readonly status: number;
}

/** What a body says about itself. */
interface ClaimedEvent {
  readonly event: string | undefined;
  readonly reference: string | undefined;
}

export function claimedEvent(body: Buffer): ClaimedEvent {
  const { event, data } = jsonObject(body.toString('utf8')) ?? {};
  return { event: shortText(event), reference: isRecord(data) ? shortText(data['reference']) : undefined };
}

/** A short name of the bytes, which tells nothing of them. */
function digestOf(body: Buffer): string {
  return hash('sha256', body).slice(0, DIGEST_CHARACTERS);
}

/** The names of deliveries in the evidence. */
export function evidenceOf(deliveries: readonly CapturedDelivery[]): readonly string[] {
  return [...new Set(deliveries.map(({ body }) => `webhook-${digestOf(body)}`))];
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= LONGEST_TEXT ? value : undefined;
}
