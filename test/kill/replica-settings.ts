import { hmac } from 'nestjs-payments';
import { type Size, type StorageMode } from './plan.js';

/** What the runner tells a replica. */
export interface ReplicaSettings {
  readonly life: string;
  readonly mode: StorageMode;
  /** Of the storage, by way of the network that breaks. */
  readonly url: string;
  readonly size: Size;
  /** File of the history. */
  readonly history: string;
  /** Folder with a file for every crash and every stop that has not happened. */
  readonly planned: string;
}

/** What a replica tells the runner: where it listens, or that it is about to pause. */
export type ReplicaMessage = { readonly port: number } | { readonly stops: true };

/** Short, so that what a dead replica began is soon taken over. */
export const LEASE_MS = 1_500;
/** How long a replica stands still: others take over, and have the time to do so. */
export const STOPPED_MS = 2 * LEASE_MS;
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
