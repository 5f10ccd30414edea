import { type SandboxOperation } from './operation-name.js';
import { operationOf } from './router.js';

/**
 * One call of a gateway operation, with masked secrets.
 *
 * @publicApi
 */
export interface SandboxRequest {
  /** Its id in the control API. */
  readonly id: string;
  /** By the sandbox's clock. */
  readonly at: string;
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`; null if the emulator refused the keys. */
  readonly merchant: string | null;
  /** The payment or payout that its body or path names; null if it names none. */
  readonly reference: string | null;
  /** HTTP method. */
  readonly method: string;
  /** Path with query, `/api/v1/...`. */
  readonly path: string;
  /** Lower-case names. Keys, secrets and cookies are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Parsed JSON, or the text if it is not JSON; null without a body. Of more than 64 KiB only the beginning, as text
   * that ends with `(cut by the emulator: …)`.
   */
  readonly body: unknown;
  /** HTTP status of the answer; null without an answer. */
  readonly status: number | null;
  /** The answer's `code`; null if it has none. */
  readonly code: string | null;
  /** Why the call was refused, in the words of the answer; null if it was not refused. */
  readonly reason: string | null;
  /** Milliseconds of real time until the answer began or the connection ended; null before. */
  readonly duration_ms: number | null;
  /** The headers of the answer, by lower-case name; null without an answer. */
  readonly response_headers: Readonly<Record<string, string>> | null;
  /** The body of the answer as it was sent, cut like `body`; null without an answer. */
  readonly response_body: string | null;
  /** The fault that changed the answer. */
  readonly fault: string | null;
  /**
   * The rule that fired: `fault hang`, `header 0003`, `ending 0003`, `default manual` or `default auto`; also
   * the answer's `X-Sandbox-Rule` header. Null for an unknown operation.
   */
  readonly rule: string | null;
  /** How the profile `adversarial` changed the documented answer, in words. */
  readonly varied: readonly string[];
}

/**
 * One call of a gateway operation with its answer.
 *
 * @publicApi
 */
export interface SandboxExchange {
  /** The call, with its status and the rule that fired. */
  readonly request: SandboxRequest;
  /** The answer's body, byte for byte; null without an answer. */
  readonly answer: string | null;
}

/** The journal drops its oldest requests, to limit memory. */
const KEPT_BYTES = 4 * 1024 * 1024;

interface KeptRequest {
  readonly entry: SandboxRequest;
  readonly bytes: number;
}

/** Keeps the received requests with their answers, by their size and not by their number. */
export class RequestJournal {
  /** The oldest first. */
  private readonly kept = new Map<string, KeptRequest>();
  /** Requests without an answer, by their id. */
  private readonly open = new Map<string, SandboxRequest>();
  /** How many requests were dropped, by merchant and operation. */
  private readonly dropped = new Map<string | null, Map<SandboxOperation, number>>();
  private bytes = 0;

  /**
   * @param onDropped Called with a request that was dropped to limit memory.
   * @param limit Bytes of JSON that it keeps. The newest request stays, whatever its size.
   */
  constructor(
    private readonly onDropped: (entry: SandboxRequest) => void,
    private readonly limit = KEPT_BYTES,
  ) {}

  list(): readonly SandboxRequest[] {
    return [...this.kept.values()].map(({ entry }) => entry);
  }

  get(id: string): SandboxRequest | undefined {
    return this.kept.get(id)?.entry;
  }

  /** Records a received request. */
  begin(entry: SandboxRequest): void {
    this.open.set(entry.id, entry);
    this.keep(entry);
  }

  /** Records a request's answer. Returns false if a reset removed the request in the meantime. */
  end(entry: SandboxRequest): boolean {
    if (!this.open.delete(entry.id)) return false;
    if (this.kept.has(entry.id)) this.keep(entry);
    return true;
  }

  /** How many requests of an operation were dropped to limit memory, of one merchant or all. */
  droppedOf(operation: SandboxOperation, merchant?: string): number {
    const counts = [...this.dropped].filter(([owner]) => merchant === undefined || owner === merchant);
    return counts.reduce((sum, [, count]) => sum + (count.get(operation) ?? 0), 0);
  }

  /** Removes the requests of one merchant, or all. */
  clear(merchant?: string): void {
    if (merchant === undefined) this.dropped.clear();
    else this.dropped.delete(merchant);
    const forgotten = (entry: SandboxRequest) => merchant === undefined || entry.merchant === merchant;
    for (const [id, { entry }] of this.kept) if (forgotten(entry)) this.drop(id);
    for (const [id, entry] of this.open) if (forgotten(entry)) this.open.delete(id);
  }

  /** Keeps a request in its place, and drops the oldest ones that are too much. */
  private keep(entry: SandboxRequest): void {
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    this.bytes += bytes - (this.kept.get(entry.id)?.bytes ?? 0);
    this.kept.set(entry.id, { entry: Object.freeze(entry), bytes });
    for (const [oldest, { entry: old }] of this.kept) {
      if (this.bytes <= this.limit || this.kept.size === 1) break;
      this.drop(oldest);
      this.countDropped(old);
      this.onDropped(old);
    }
  }

  private countDropped(entry: SandboxRequest): void {
    const operation = operationOf(entry)?.operation;
    if (!operation) return;
    const counts = this.dropped.get(entry.merchant) ?? new Map<SandboxOperation, number>();
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    this.dropped.set(entry.merchant, counts);
  }

  private drop(id: string): void {
    this.bytes -= this.kept.get(id)?.bytes ?? 0;
    this.kept.delete(id);
  }
}
