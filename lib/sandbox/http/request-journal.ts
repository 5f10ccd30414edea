import { type IncomingMessage } from 'node:http';
import { type SandboxRequest } from '../control/control-types.js';

/** Older ones are forgotten, so that a long run does not grow. */
const KEPT = 1_000;
const SECRET_HEADERS = ['x-api-key', 'x-api-secret', 'authorization'];
const KEY = /^(Bearer )?([ps]k_(?:test|live)_)?.*$/is;

/** What came in, with its answer once there is one. */
export class RequestJournal {
  private entries: SandboxRequest[] = [];

  list(): readonly SandboxRequest[] {
    return [...this.entries];
  }

  /** Writes a request down, or its newer version over the older. */
  put(entry: SandboxRequest): void {
    const index = this.entries.findLastIndex(({ id }) => id === entry.id);
    if (index !== -1) this.entries[index] = Object.freeze(entry);
    else this.entries.push(Object.freeze(entry));
    if (this.entries.length > KEPT) this.entries.shift();
  }

  /** Forgets the requests of one merchant, or all. */
  clear(merchant?: string): void {
    this.entries = merchant === undefined ? [] : this.entries.filter((entry) => entry.merchant !== merchant);
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
