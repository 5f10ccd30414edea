import { type ReplicaSettings } from '../replica-settings.js';

/** What the runner tells a replica that makes calls. */
export interface CallSettings extends Pick<ReplicaSettings, 'life' | 'url' | 'mode' | 'history'> {
  readonly gateway: string;
  readonly seed: string;
  /** How far the storage's clock has been turned on. */
  readonly aheadMs: number;
  readonly deadlineMs: number;
}

export const DEADLINE_MS = 2_000;
/** Of a process that stands still within one call: by its own clock, which stood still with it, there is time left. */
export const PATIENT_DEADLINE_MS = 60_000;
export const PROBE_AFTER_MS = 300;

/** Payments whose process stands still for longer than it holds them. */
const FIRST_FENCED = 900_000;

export function fencedReference(index: number): string {
  return `order-${FIRST_FENCED + index}`;
}

export function isFenced(reference: string): boolean {
  return Number(reference.slice('order-'.length)) >= FIRST_FENCED;
}

/** The others are payouts. */
export function isCollection(reference: string): boolean {
  return Number(reference.slice('order-'.length)) % 2 === 0;
}
