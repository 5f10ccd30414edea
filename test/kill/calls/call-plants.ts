import { type Plant } from '../plants.js';

export interface CallPlant extends Plant {
  readonly mode: 'postgres' | 'redis';
  /** How many payments are made beside those whose process stands still. */
  readonly payments: number;
}

/** Faults in the way payments are made: each must be found. */
export const CALL_PLANTS: readonly CallPlant[] = [
  {
    name: 'recover() sends what no call confirmed as sent',
    mode: 'postgres',
    payments: 60,
    file: 'lib/journal/recovery/recovery-decision.ts',
    from: 'return existing.record.sent && isProbeDue',
    to: 'return isProbeDue',
    found: /before an effect that nobody asked for/,
  },
  {
    name: 'a new attempt after an unknown one',
    mode: 'redis',
    payments: 4,
    file: 'lib/journal/payment/repeated-call.ts',
    from: "return { act: 'unknown', evidence: evidenceOf(existing) };",
    to: "return { act: 'begin', attempt: record.attempt + 1 };",
    found: /order-8\d{5} has \d effects/,
  },
  {
    name: 'a change of another version goes through',
    mode: 'postgres',
    payments: 4,
    file: 'lib/storage/postgres/journal-statements.ts',
    from: 'FROM moment WHERE ${KEY} AND version = $9::bigint',
    to: 'FROM moment WHERE ${KEY} AND $9::bigint > 0',
    found: /order-9\d{5} was called rejected after its effect/,
  },
  {
    name: 'a change of another version goes through',
    mode: 'redis',
    payments: 4,
    file: 'lib/storage/redis/journal-scripts.ts',
    from: 'if not existing or existing.version ~= ARGV[6] then return false end',
    to: 'if not existing then return false end',
    found: /order-9\d{5} was called rejected after its effect/,
  },
];
