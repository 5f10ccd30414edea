import { hmac } from '../../lib/webhooks/schemes/hmac.js';
import { type Size, type StorageMode } from './plan.js';

/** What the runner tells a replica. */
export interface ReplicaSettings {
  readonly life: string;
  readonly mode: StorageMode;
  readonly url: string;
  readonly size: Size;
  /** File of the history. */
  readonly history: string;
  /** Folder with a file for every doom that has not struck. */
  readonly dooms: string;
}

/** Short, so that what a dead replica began is soon taken over. */
export const LEASE_MS = 1_500;
export const SECRET = 'a-signing-secret-of-the-merchant';
export const SCHEME = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
});
export const ACCOUNT = {
  baseUrl: 'http://127.0.0.1:9/api/v1',
  apiKey: 'pk_test_shop',
  apiSecret: 'sk_test_shop',
} as const;
