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

/** Payments that the gateway takes, and whose answers are lost, one and all. */
const FIRST_LOST = 800_000;
/** Payments whose process stands still for longer than it holds them. */
const FIRST_FENCED = 900_000;

export function lostReference(index: number): string {
  return `order-${FIRST_LOST + index}`;
}

export function isLost(reference: string): boolean {
  return numberOf(reference) >= FIRST_LOST && !isFenced(reference);
}

export function fencedReference(index: number): string {
  return `order-${FIRST_FENCED + index}`;
}

export function isFenced(reference: string): boolean {
  return numberOf(reference) >= FIRST_FENCED;
}

/** The others are payouts. */
export function isCollection(reference: string): boolean {
  return numberOf(reference) % 2 === 0;
}

function numberOf(reference: string): number {
  return Number(reference.slice('order-'.length));
}
