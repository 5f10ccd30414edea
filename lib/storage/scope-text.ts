import { type InboxScope } from '../common/storage-port.js';

/** Equal for equal scopes, and never the beginning of another scope's. */
export function scopeText({ account, environment }: InboxScope): string {
  return `${environment} ${account.length} ${account} `;
}
