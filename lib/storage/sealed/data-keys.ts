import { type KeyObject, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { withTimeout } from '../../common/timing.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { derivedKey, keyIdIn, KeyServiceError } from './encryption.js';
import { type KeyManagementService } from './key-management.js';
import { KeyServiceCalls, notAnswered, notAsked } from './key-service-calls.js';
import { type SealingKey } from './sealed-value.js';

const KEY_BYTES = 32;

/** The longest data key that is stored beside each value. */
const LONGEST_WRAPPED = 2_048;

/** How long a data key that could not be renewed is left alone before the next try. */
const RENEW_AGAIN_MS = 1_000;

/** The options of the data keys, checked and with their defaults. */
interface DataKeyRules {
  /** Names at the key service by id. */
  readonly keys: ReadonlyMap<string, string>;
  readonly current: string;
  readonly maxUses: number;
  readonly maxAgeMs: number;
  readonly staleIfErrorMs: number;
  readonly cacheSize: number;
  readonly timeoutMs: number;
}

/** A data key of this process. Times are by `performance.now()`. */
interface CachedKey {
  readonly key: KeyObject;
  readonly since: number;
  /** Not before then is the key service asked about it again. */
  renewAt: number;
}

/** The data key that seals. */
interface DataKey extends SealingKey, CachedKey {
  uses: number;
}

/** A data key that is opened for lists and renewals. */
interface OpeningInLine {
  readonly key: Promise<KeyObject | undefined>;
  /** Until when the last of them waits. */
  wantedUntil: number;
  hasTurn: boolean;
}

/** The data keys that a key service has wrapped: makes those that seal, and opens those that sealed. */
export class DataKeys {
  private readonly logger = new SafeLogger('PaymentsModule');
  private readonly calls: KeyServiceCalls;
  /** By name, the longest unused one first. */
  private readonly cached = new Map<string, CachedKey>();
  /** The calls that open a data key, by its name. */
  private readonly opening = new Map<string, Promise<KeyObject | undefined>>();
  /** Those of lists and renewals, which may still wait for their turn. */
  private readonly inLine = new Map<string, OpeningInLine>();
  private sealing: DataKey | undefined;
  private making: Promise<DataKey> | undefined;
  private isReported = false;

  constructor(
    private readonly kms: KeyManagementService,
    private readonly rules: DataKeyRules,
  ) {
    this.calls = new KeyServiceCalls(rules.timeoutMs);
  }

  /** Waits for the key service only if there is no data key yet, or it could not be renewed for too long. */
  sealingKey(): SealingKey | Promise<SealingKey> {
    const { sealing, rules } = this;
    if (!sealing || ageOf(sealing) > rules.maxAgeMs + rules.staleIfErrorMs) return this.made().then(used);
    if (sealing.uses >= rules.maxUses || ageOf(sealing) >= rules.maxAgeMs) {
      this.renew(sealing, () => this.made());
    }
    return used(sealing);
  }

  /** Undefined if the key service says that the data key can never be opened again. */
  openingKey(name: string, listEndsAt?: number): KeyObject | undefined | Promise<KeyObject | undefined> {
    const { maxAgeMs, staleIfErrorMs, timeoutMs } = this.rules;
    const found = this.cached.get(name);
    if (!found || ageOf(found) > maxAgeMs + staleIfErrorMs) {
      return listEndsAt === undefined ? this.opened(name) : this.openedInLine(name, listEndsAt);
    }
    this.cached.delete(name);
    this.cached.set(name, found);
    if (ageOf(found) >= maxAgeMs) {
      this.renew(found, () => this.openedInLine(name, performance.now() + 2 * timeoutMs));
    }
    return found.key;
  }

  /** All callers that ask at the same time share one call. */
  private made(): Promise<DataKey> {
    this.making ??= this.make().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private async make(): Promise<DataKey> {
    const { current } = this.rules;
    const dataKey = randomBytes(KEY_BYTES);
    try {
      const key = derivedKey(dataKey, 'seal');
      const wrapped = await this.ask(current, (call) => this.kms.wrap({ ...call, dataKey }));
      if (wrapped === 'gone') {
        this.sealing = undefined;
        throw new KeyServiceError(`The key service has no usable key ${quoted(current)} to seal with.`);
      }
      checkWrapped(wrapped);
      const name = `${current}~${Buffer.from(wrapped).toString('base64url')}`;
      this.sealing = { name, ...this.remember(name, key), uses: 0 };
      return this.sealing;
    } finally {
      dataKey.fill(0);
    }
  }

  /** Each list waits until its own end for an opening that all of them share. */
  private openedInLine(name: string, endsAt: number): Promise<KeyObject | undefined> {
    const opening = this.inLine.get(name) ?? this.lineUp(name);
    opening.wantedUntil = Math.max(opening.wantedUntil, endsAt);
    return withTimeout(opening.key, endsAt, () => (opening.hasTurn ? notAnswered() : notAsked()));
  }

  private lineUp(name: string): OpeningInLine {
    const isWanted = (): boolean => (opening.hasTurn = performance.now() <= opening.wantedUntil);
    const open = async (): Promise<KeyObject | undefined> => {
      const found = this.cached.get(name);
      // Somebody may have opened it while this waited.
      return found && ageOf(found) < this.rules.maxAgeMs ? found.key : this.opened(name);
    };
    const key = this.calls.inLine(keyIdIn(name), isWanted, open);
    const opening: OpeningInLine = { key, wantedUntil: 0, hasTurn: false };
    this.inLine.set(name, opening);
    const ended = (): boolean => this.inLine.delete(name);
    key.then(ended, ended);
    return opening;
  }

  /** All who ask for the same data key at the same time share one opening. */
  private opened(name: string): Promise<KeyObject | undefined> {
    const known = this.opening.get(name);
    if (known) return known;
    const opening = this.open(name).finally(() => this.opening.delete(name));
    this.opening.set(name, opening);
    return opening;
  }

  private async open(name: string): Promise<KeyObject | undefined> {
    const at = name.indexOf('~');
    const id = name.slice(0, at);
    const wrapped = Buffer.from(name.slice(at + 1), 'base64url');
    const dataKey = await this.ask(id, (call) => this.kms.unwrap({ ...call, wrapped }));
    if (dataKey === 'gone') {
      // Not remembered: a key that was disabled may be enabled again.
      this.cached.delete(name);
      if (this.sealing?.name === name) this.sealing = undefined;
      return undefined;
    }
    if (!(dataKey instanceof Uint8Array) || dataKey.length !== KEY_BYTES) {
      throw new KeyServiceError(`The key service opened a data key that has not ${KEY_BYTES} bytes.`);
    }
    return this.remember(name, derivedKey(dataKey, 'seal')).key;
  }

  private ask<T>(
    id: string,
    work: (call: {
      readonly key: string;
      context: Record<string, string>;
      signal: AbortSignal;
    }) => Promise<T>,
  ): Promise<T> {
    const context = { package: 'nestjs-payments', use: 'data-key', key: id };
    const key = this.rules.keys.get(id) ?? id;
    return this.calls.call(id, (signal) => work({ key, context, signal }));
  }

  private remember(name: string, key: KeyObject): CachedKey {
    const kept = { key, since: performance.now(), renewAt: 0 };
    this.cached.delete(name);
    this.cached.set(name, kept);
    const [oldest] = this.cached.keys();
    if (this.cached.size > this.rules.cacheSize && oldest !== undefined) this.cached.delete(oldest);
    this.isReported = false;
    return kept;
  }

  /** Asks the key service again while the data key stays in use. Nobody waits for it. */
  private renew(cached: CachedKey, work: () => Promise<unknown>): void {
    const now = performance.now();
    if (now < cached.renewAt) return;
    cached.renewAt = now + this.rules.timeoutMs + RENEW_AGAIN_MS;
    work().catch((error: unknown) => {
      cached.renewAt = performance.now() + RENEW_AGAIN_MS;
      if (this.isReported) return;
      this.isReported = true;
      this.logger.warn(
        `A data key could not be renewed, and stays in use for ${this.rules.staleIfErrorMs} ms at most: ${failureLabel(error)}`,
      );
    });
  }
}

function used(dataKey: DataKey): DataKey {
  dataKey.uses += 1;
  return dataKey;
}

function ageOf({ since }: CachedKey): number {
  return performance.now() - since;
}

/** @throws KeyServiceError */
function checkWrapped(wrapped: unknown): asserts wrapped is Uint8Array {
  const isUsable = wrapped instanceof Uint8Array && wrapped.length > 0 && wrapped.length <= LONGEST_WRAPPED;
  if (!isUsable) {
    throw new KeyServiceError(
      `The key service wrapped a data key in other than 1 to ${LONGEST_WRAPPED} bytes.`,
    );
  }
}
