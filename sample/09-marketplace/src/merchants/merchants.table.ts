import { Injectable } from '@nestjs/common';
import { type PaymentsAccountOptions } from 'nestjs-payments';
import { Pool } from 'pg';
import { KeyBox } from './key-box.js';
import { type AddMerchantDto, type MerchantKeysDto } from './merchant.dto.js';

const OLD_SECRET_MS = 24 * 3_600_000;

export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
}

interface OldSecret {
  readonly value: string;
  readonly notAfter: string;
}

/** What is sealed in the column `keys`. */
interface StoredKeys {
  readonly apiKey: string;
  readonly apiSecret: string;
  /** The current one first. */
  readonly webhookSecrets: readonly (string | OldSecret)[];
}

@Injectable()
export class MerchantsTable {
  constructor(
    private readonly pool: Pool,
    private readonly box: KeyBox,
  ) {}

  /** For `accounts.resolve`. The id may come from a stranger, who wrote it into the path of a webhook. */
  async keysOf(id: string): Promise<PaymentsAccountOptions | undefined> {
    const sealed = await this.sealedKeys(id);
    if (sealed === undefined) return undefined;
    const { apiKey, apiSecret, webhookSecrets } = this.open(id, sealed);
    return { apiKey, apiSecret, webhooks: { secrets: webhookSecrets } };
  }

  async all(): Promise<readonly Merchant[]> {
    const { rows } = await this.pool.query<Merchant>('SELECT id, name, disabled FROM merchants ORDER BY id');
    return rows;
  }

  async find(id: string): Promise<Merchant | undefined> {
    const found = await this.pool.query<Merchant>('SELECT id, name, disabled FROM merchants WHERE id = $1', [
      id,
    ]);
    return found.rows[0];
  }

  /** Returns false if there is one of this id. */
  async add({ id, name, apiKey, apiSecret, webhookSecret }: AddMerchantDto): Promise<boolean> {
    const keys = this.seal(id, { apiKey, apiSecret, webhookSecrets: [webhookSecret] });
    const added = await this.pool.query(
      'INSERT INTO merchants (id, name, keys) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
      [id, name, keys],
    );
    return added.rowCount === 1;
  }

  /** The old webhook secret counts for a day more. Returns false if there is no such merchant. */
  async rotate(id: string, { apiKey, apiSecret, webhookSecret }: MerchantKeysDto): Promise<boolean> {
    const before = await this.sealedKeys(id);
    if (before === undefined) return false;
    const webhookSecrets = rotated(this.open(id, before).webhookSecrets, webhookSecret);
    const keys = this.seal(id, { apiKey, apiSecret, webhookSecrets });
    const changed = await this.pool.query('UPDATE merchants SET keys = $2 WHERE id = $1 AND keys = $3', [
      id,
      keys,
      before,
    ]);
    // Somebody else rotated them meanwhile: their secret counts for a day more, too.
    return changed.rowCount === 1 || this.rotate(id, { apiKey, apiSecret, webhookSecret });
  }

  /** Returns false if there is no such merchant. */
  async disable(id: string, disabled: boolean): Promise<boolean> {
    const changed = await this.pool.query('UPDATE merchants SET disabled = $2 WHERE id = $1', [id, disabled]);
    return changed.rowCount === 1;
  }

  private async sealedKeys(id: string): Promise<string | undefined> {
    const found = await this.pool.query<{ keys: string }>('SELECT keys FROM merchants WHERE id = $1', [id]);
    return found.rows[0]?.keys;
  }

  private open(id: string, sealed: string): StoredKeys {
    return JSON.parse(this.box.open(id, sealed)) as StoredKeys;
  }

  private seal(id: string, keys: StoredKeys): string {
    return this.box.seal(id, JSON.stringify(keys));
  }
}

/** The current secret counts for a day more, and each one before it until its own end. */
function rotated(before: StoredKeys['webhookSecrets'], secret: string): StoredKeys['webhookSecrets'] {
  const inADay = new Date(Date.now() + OLD_SECRET_MS).toISOString();
  const old = before.map((each) => (typeof each === 'string' ? { value: each, notAfter: inADay } : each));
  const counts = ({ value, notAfter }: OldSecret) => value !== secret && Date.parse(notAfter) > Date.now();
  return [secret, ...old.filter(counts)];
}
