import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type StateKey } from '../core/state-key.js';
import { isFinal } from '../core/status-machine.js';
import { NAME_CHECKS, PART_CHECKS } from './part-checks.js';
import { partKinds, type PartKind, type StatefulParts } from './part-kinds.js';
import { type StateEntry, type StoredSettings } from './state-entry.js';

/** Writes the parts of the state as JSON, and reads them back. */
export class StateParts {
  private readonly kinds: Readonly<Record<StateKey[0], PartKind>>;

  constructor(private readonly parts: StatefulParts) {
    this.kinds = partKinds(parts);
  }

  /** The secret of the endpoints that `deliverTo` makes. */
  get webhookSecret(): string {
    return this.parts.settings.webhookSecret;
  }

  /** One part. Null: it was removed. */
  read([kind, ...names]: StateKey): unknown {
    return this.kinds[kind].read(...names) ?? null;
  }

  /** Every part. */
  all(): readonly StateEntry[] {
    return Object.entries(this.kinds).flatMap(([kind, { list, read }]) =>
      list().map((names) => [[kind, ...names] as unknown as StateKey, read(...names)] as const),
    );
  }

  /**
   * Reads the state into an emulator that has none.
   *
   * @throws PaymentsConfigError if a part is damaged, or an endpoint's address is not allowed here.
   */
  restore(entries: readonly StateEntry[]): void {
    for (const [[kind, ...names], value] of entries) {
      if (!Object.hasOwn(PART_CHECKS, kind)) throw damaged([kind], 'there is no such kind');
      if (!PART_CHECKS[kind](value)) throw damaged([kind, ...names], 'a value in it is impossible');
      if (NAME_CHECKS[kind]?.(names, value) === false)
        throw damaged([kind, ...names], 'it is another one, or of a merchant that cannot be');
    }
    const byKind = grouped(entries);
    const settings = byKind.get('settings')?.[0]?.[1] as StoredSettings | undefined;
    for (const [kind, { write }] of Object.entries(this.kinds)) {
      for (const [[, ...names], value] of byKind.get(kind as StateKey[0]) ?? []) {
        try {
          write(value, names, settings);
        } catch (error) {
          throw damaged([kind, ...names], error instanceof Error ? error.message : String(error));
        }
      }
    }
  }

  /** Starts what is due: outcomes, expiry and deliveries. */
  resume(): void {
    const { gateway, deliverer } = this.parts;
    for (const merchant of gateway.merchants) {
      for (const payment of merchant.collections.values())
        if (!isFinal('collection', payment.status)) gateway.collections.resume(merchant, payment);
      for (const payout of merchant.payouts.values())
        if (!isFinal('disbursement', payout.status)) gateway.payouts.resume(merchant, payout);
    }
    deliverer.resume();
  }
}

function damaged(key: readonly string[], reason: string): PaymentsConfigError {
  return new PaymentsConfigError(`The part ${key.join(' ')} of the state cannot be used: ${reason}`);
}

function grouped(entries: readonly StateEntry[]): Map<StateKey[0], StateEntry[]> {
  const groups = new Map<StateKey[0], StateEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry[0][0]);
    if (group) group.push(entry);
    else groups.set(entry[0][0], [entry]);
  }
  return groups;
}
