import { randomBytes } from 'node:crypto';
import { type AccountPage, type AccountPageStart, type InboxScope } from 'nestjs-payments';

/** A document with the version that its last writer gave it. */
export interface Versioned {
  readonly version: number;
}

/** All that the storage needs of a database: documents that are changed only by who knows their version. */
export interface Documents {
  get<Document extends Versioned>(id: string): Promise<Document | undefined>;
  /** Writes a document if the existing one has this version, or if there is none: `NONE`. False if it lost. */
  write(id: string, version: number, next: Versioned): Promise<boolean>;
  /** Removes a document if it has this version. False if it lost. */
  remove(id: string, version: number): Promise<boolean>;
  /** Every document whose id begins like this. */
  all<Document extends Versioned>(
    prefix: string,
  ): Promise<readonly (readonly [id: string, document: Document])[]>;
}

/** The version of a document that does not exist. */
export const NONE = 0;

/** A version that no document had before: 53 random bits, as many as a number holds. */
export function newVersion(): number {
  return Number(randomBytes(8).readBigUInt64BE() >> 11n);
}

/** Documents in this process, for the tests. */
export class MemoryDocuments implements Documents {
  protected readonly stored = new Map<string, Versioned>();

  get<Document extends Versioned>(id: string): Promise<Document | undefined> {
    return Promise.resolve(this.stored.get(id) as Document | undefined);
  }

  write(id: string, version: number, next: Versioned): Promise<boolean> {
    const fits = (this.stored.get(id)?.version ?? NONE) === version;
    if (fits) this.stored.set(id, structuredClone(next));
    return Promise.resolve(fits);
  }

  remove(id: string, version: number): Promise<boolean> {
    return Promise.resolve(this.stored.get(id)?.version === version && this.stored.delete(id));
  }

  all<Document extends Versioned>(prefix: string): Promise<readonly (readonly [string, Document])[]> {
    const found = [...this.stored].filter(([id]) => id.startsWith(prefix));
    return Promise.resolve(found as unknown as readonly (readonly [string, Document])[]);
  }
}

/**
 * A page of the accounts in the ids that begin with a word, account and environment. A database with an index steps from
 * one account to the next.
 */
export async function accountsIn(
  documents: Documents,
  word: string,
  { after = '', limit }: AccountPageStart,
): Promise<AccountPage> {
  const all = await documents.all(documentId(word));
  const prefixes = all.map(([id]) => id.split('/', 3).slice(1).join('/'));
  const later = [...new Set(prefixes)].filter((prefix) => prefix > after).sort();
  const page = later.slice(0, limit);
  const next = later.length > limit ? page.at(-1) : undefined;
  return { accounts: page.map(accountIn), ...(next !== undefined && { next }) };
}

function accountIn(prefix: string): InboxScope {
  const [account = '', environment = ''] = prefix
    .split('/')
    .map((part) => Buffer.from(part, 'base64url').toString('utf16le'));
  return { account, environment: environment as InboxScope['environment'] };
}

/** An id of several parts, whatever they contain, half of an emoji too. */
export function documentId(...parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.from(part, 'utf16le').toString('base64url')}/`).join('');
}
