import { type IncomingMessage } from 'node:http';
import { type SandboxRequest } from '../control/control-types.js';

/** Older ones are forgotten, so that a long run does not grow. */
const KEPT = 1_000;
const SECRET_HEADERS = ['x-api-key', 'x-api-secret', 'authorization'];
const KEY = /^(Bearer )?([ps]k_(?:test|live)_)?.*$/is;

/** What came in, with its answer once there is one. */
export class RequestJournal {
  private entries: SandboxRequest[] = [];
  /** Requests without an answer, by their id. */
  private readonly open = new Map<string, SandboxRequest>();

  list(): readonly SandboxRequest[] {
    return [...this.entries];
  }

  /** Writes a request down that came in. */
  begin(entry: SandboxRequest): void {
    this.open.set(entry.id, entry);
    this.entries.push(Object.freeze(entry));
    if (this.entries.length > KEPT) this.entries.shift();
  }

  /** Writes down how it was answered. False, and nothing is written: it was forgotten while its answer was held back. */
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

/** Headers by lower-case name, keys and secrets cut after their prefix. */
export function maskedHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const shown = Object.entries(headers).map(([name, value = '']) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return [name, SECRET_HEADERS.includes(name) ? text.replace(KEY, '$1$2…') : text];
  });
  return Object.freeze(Object.fromEntries(shown) as Record<string, string>);
}
