import { randomBytes } from 'node:crypto';

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

/** An id of several parts, whatever they contain, half of an emoji too. */
export function documentId(...parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.from(part, 'utf16le').toString('base64url')}/`).join('');
}
