import { type InboxScope } from '../common/vocabulary.js';

/** Another text for every account and environment. */
export function accountText({ account, environment }: InboxScope): string {
  return JSON.stringify([account, environment]);
}
