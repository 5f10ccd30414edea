import { Injectable } from '@nestjs/common';
import { type PaymentsAccountOptions, type WebhookSecret } from 'nestjs-payments';
import { Pool } from 'pg';
import { KeyBox } from './key-box.js';
import { type AddMerchantDto, type MerchantKeysDto } from './merchant.dto.js';

const OLD_SECRET_MS = 24 * 3_600_000;

export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
}

/** What is sealed in the column `keys`. */
interface StoredKeys {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly webhookSecrets: readonly WebhookSecret[];
}

@Injectable()
export class MerchantsTable {
  constructor(
    private readonly pool: Pool,
    private readonly box: KeyBox,
  ) {}

  /** For `accounts.resolve`. The id may come from a stranger, who wrote it into the path of a webhook. */
  async keysOf(id: string): Promise<PaymentsAccountOptions | undefined> {
    const keys = await this.storedKeys(id);
    if (!keys) return undefined;
    const { apiKey, apiSecret, webhookSecrets } = keys;
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
    const before = await this.storedKeys(id);
    if (!before) return false;
    const [newest] = before.webhookSecrets;
    const value = typeof newest === 'string' ? newest : newest?.value;
    const old = value !== undefined && value !== webhookSecret ? [{ value, notAfter: inADay() }] : [];
    const keys = this.seal(id, { apiKey, apiSecret, webhookSecrets: [webhookSecret, ...old] });
    const changed = await this.pool.query('UPDATE merchants SET keys = $2 WHERE id = $1', [id, keys]);
    return changed.rowCount === 1;
  }

  /** Returns false if there is no such merchant. */
  async disable(id: string, disabled: boolean): Promise<boolean> {
    const changed = await this.pool.query('UPDATE merchants SET disabled = $2 WHERE id = $1', [id, disabled]);
    return changed.rowCount === 1;
  }

  private async storedKeys(id: string): Promise<StoredKeys | undefined> {
    const found = await this.pool.query<{ keys: string }>('SELECT keys FROM merchants WHERE id = $1', [id]);
    const [row] = found.rows;
    return row && (JSON.parse(this.box.open(id, row.keys)) as StoredKeys);
  }

  private seal(id: string, keys: StoredKeys): string {
    return this.box.seal(id, JSON.stringify(keys));
  }
}

function inADay(): string {
  return new Date(Date.now() + OLD_SECRET_MS).toISOString();
}
