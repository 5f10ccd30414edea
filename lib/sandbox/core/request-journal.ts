/**
 * One call of the gateway's operations, secrets masked.
 *
 * @publicApi
 */
export interface SandboxRequest {
  /** What the control API names it by. */
  readonly id: string;
  /** By the sandbox's clock. */
  readonly at: string;
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`; null where the keys were refused. */
  readonly merchant: string | null;
  /** HTTP method. */
  readonly method: string;
  /** Path with query, `/api/v1/...`. */
  readonly path: string;
  /** Lower-case names. `x-api-key`, `x-api-secret` and `authorization` are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text where it is not JSON; null without a body. */
  readonly body: unknown;
  /** HTTP status of the answer; null where none was sent. */
  readonly status: number | null;
  /** The answer's `code`, where it has one. */
  readonly code: string | null;
  /** The fault that changed the answer. */
  readonly fault: string | null;
  /**
   * The rule that fired: `fault hang`, `header 0003`, `ending 0003`, `default manual` or `default auto`; also
   * the answer's `X-Sandbox-Rule` header. Null where there is no such operation.
   */
  readonly rule: string | null;
  /** What the profile `adversarial` did otherwise than documented, in words. */
  readonly varied: readonly string[];
}

/**
 * One call of a gateway operation with the answer that went out.
 *
 * @publicApi
 */
export interface SandboxExchange {
  /** The call, with its status and the rule that fired. */
  readonly request: SandboxRequest;
  /** The answer's body, byte for byte; null where none was sent. */
  readonly answer: string | null;
}

/** The journal drops older requests, so that a long run does not grow. */
const KEPT = 1_000;

/** Keeps the requests that came in, with their answers. */
export class RequestJournal {
  private entries: SandboxRequest[] = [];
  /** Requests without an answer, by their id. */
  private readonly open = new Map<string, SandboxRequest>();

  list(): readonly SandboxRequest[] {
    return [...this.entries];
  }

  /** Records a request that came in. */
  begin(entry: SandboxRequest): void {
    this.open.set(entry.id, entry);
    this.entries.push(Object.freeze(entry));
    if (this.entries.length > KEPT) this.entries.shift();
  }

  /** Records how a request was answered. Returns false if it was forgotten while its answer was held back. */
  end(entry: SandboxRequest): boolean {
    if (!this.open.delete(entry.id)) return false;
    const index = this.entries.findLastIndex(({ id }) => id === entry.id);
    if (index !== -1) this.entries[index] = Object.freeze(entry);
    return true;
  }

  /** Forgets the requests of one merchant, or all. */
  clear(merchant?: string): void {
    const forgotten = (entry: SandboxRequest) => merchant === undefined || entry.merchant === merchant;
    this.entries = this.entries.filter((entry) => !forgotten(entry));
    for (const [id, entry] of this.open) if (forgotten(entry)) this.open.delete(id);
  }
}
