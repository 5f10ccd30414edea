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
  /** HTTP method. */
  readonly method: string;
  /** Path with query, `/api/v1/...`. */
  readonly path: string;
  /** Lower-case names. `x-api-key`, `x-api-secret` and `authorization` are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text if it is not JSON; null without a body. */
  readonly body: unknown;
  /** HTTP status of the answer; null without an answer. */
  readonly status: number | null;
  /** The answer's `code`; null if it has none. */
  readonly code: string | null;
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

/** The journal drops older requests, to limit memory. */
const KEPT = 1_000;

/** Keeps the received requests with their answers. */
export class RequestJournal {
  private entries: SandboxRequest[] = [];
  /** Requests without an answer, by their id. */
  private readonly open = new Map<string, SandboxRequest>();

  list(): readonly SandboxRequest[] {
    return [...this.entries];
  }

  /** Records a received request. */
  begin(entry: SandboxRequest): void {
    this.open.set(entry.id, entry);
    this.entries.push(Object.freeze(entry));
    if (this.entries.length > KEPT) this.entries.shift();
  }

  /** Records a request's answer. Returns false if a reset removed the request in the meantime. */
  end(entry: SandboxRequest): boolean {
    if (!this.open.delete(entry.id)) return false;
    const index = this.entries.findLastIndex(({ id }) => id === entry.id);
    if (index !== -1) this.entries[index] = Object.freeze(entry);
    return true;
  }

  /** Removes the requests of one merchant, or all. */
  clear(merchant?: string): void {
    const forgotten = (entry: SandboxRequest) => merchant === undefined || entry.merchant === merchant;
    this.entries = this.entries.filter((entry) => !forgotten(entry));
    for (const [id, entry] of this.open) if (forgotten(entry)) this.open.delete(id);
  }
}
