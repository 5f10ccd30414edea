import { type InboxScope } from '../common/storage-port.js';

/** Equal for equal scopes. */
export function scopeText({ account, environment }: InboxScope): string {
  return JSON.stringify([account, environment]);
}
