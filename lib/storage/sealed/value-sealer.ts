import { performance } from 'node:perf_hooks';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { keyIdIn, type Encryption } from './encryption.js';
import { isSealed, keyNameOf, open, seal, type SealedPlace } from './sealed-value.js';

/** More are not logged: anyone who can write to the database can invent names. */
const KEYS_REPORTED = 100;

/** How long a list waits for its data keys: the storage has five seconds for the whole answer. */
const LIST_MS = 3_000;

/** A text that was opened, or why it cannot be. */
type Opened =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

/** Seals and opens single values. Text that was written before encryption was turned on opens as it is. */
export class ValueSealer {
  private readonly logger = new SafeLogger('PaymentsModule');

  constructor(
    private readonly encryption: Encryption,
    private readonly reported = new Set<string>(),
    private readonly listEndsAt?: number,
  ) {}

  /** Opens the entries of one list. Its data keys wait behind those of payments and webhooks, and not for long. */
  forList(): ValueSealer {
    return new ValueSealer(this.encryption, this.reported, performance.now() + LIST_MS);
  }

  /** What is sealed already stays as it is: it could not be opened, and must not be lost. */
  async seal(text: string, place: SealedPlace): Promise<string> {
    if (isSealed(text)) return text;
    const key = this.encryption.sealingKey();
    return seal(text, place, key instanceof Promise ? await key : key);
  }

  /**
   * Rejects with a `KeyServiceError` if the key cannot be had now, which says nothing about the value.
   *
   * @param field For the message, for example `body`.
   */
  async open(text: string, place: SealedPlace, field: string): Promise<Opened> {
    if (!isSealed(text)) {
      const problem = this.plainProblem(field);
      return problem === undefined ? { text } : { problem };
    }
    const name = keyNameOf(text);
    if (name === undefined) return { problem: `its ${field} is sealed, and damaged` };
    const id = quoted(keyIdIn(name));
    const key = await this.encryption.openingKey(name, this.listEndsAt);
    if (!key) {
      const of = name.includes('~')
        ? 'of a key service, which does not open its data key or is not in the option encryption'
        : 'which the option encryption does not have';
      return this.report(id, `its ${field} is sealed with the key ${id}, ${of}`);
    }
    const opened = open(text, place, key);
    if (opened !== undefined) return { text: opened };
    return {
      problem: `its ${field} does not open with the key ${id}: it was changed, or belongs to another entry or key`,
    };
  }

  /**
   * Why a value that is not sealed is refused; undefined if it is taken. Anyone who can write to the database could
   * have written it without a key.
   */
  plainProblem(field: string): string | undefined {
    if (!this.encryption.requireSealed) return undefined;
    return `its ${field} is not sealed, which requireSealed of the option encryption refuses`;
  }

  /** Whether a value should be sealed again: it is plain, or of an earlier key. */
  isOutdated(text: string): boolean {
    const name = keyNameOf(text);
    return name === undefined || !this.encryption.isCurrent(name);
  }

  /**
   * Whether the key of a sealed value is there: a key service may have destroyed even its current one. Rejects with a
   * `KeyServiceError` if that is not known now.
   */
  async hasKeyOf(text: string): Promise<boolean> {
    const name = keyNameOf(text);
    return name === undefined || (await this.encryption.openingKey(name)) !== undefined;
  }

  /** Keyed hashes that stand for a text, the current one first. */
  fingerprints(text: string): readonly [string, ...string[]] {
    return this.encryption.fingerprints(text);
  }

  /** Logs a key that is missing, once: a list may hold a million entries of it. */
  private report(id: string, problem: string): Opened {
    if (!this.reported.has(id) && this.reported.size < KEYS_REPORTED) {
      this.reported.add(id);
      this.logger.error(
        `What is sealed with the key ${id} cannot be read, and stays as it is: ${problem}. Bring that key back.`,
      );
    }
    return { problem };
  }
}

/** Why something sealed is listed without being opened. */
export function cannotOpenNow(error: unknown): string {
  return `it is sealed with a key that cannot be had now: ${failureLabel(error)}`;
}
