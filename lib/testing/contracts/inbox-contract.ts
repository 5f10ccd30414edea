import { ACCOUNT_LISTING } from './account-listing.cases.js';
import { type Cases, type ContractFramework, registerCases } from './contract-framework.js';
import { HANDLERS_REMEMBERED, HANDLERS_UNDONE, INBOX_CLAIMING } from './inbox-claiming.cases.js';
import { EXISTING_ENTRIES, PROVIDER_REFERENCES, WITHDRAWN_CLAIMS } from './inbox-replacing.cases.js';
import {
  claimed,
  inboxDelivery,
  inboxKey,
  type InboxTest,
  inboxTest,
  LEASE_MS,
  type InboxUnderTest,
} from './inbox-test.js';
import { INBOX_TAKING_OVER } from './inbox-taking-over.cases.js';
import { CLAIMS_IN_TRANSACTIONS } from './inbox-transaction.cases.js';
import { INBOX_WAITING } from './inbox-waiting.cases.js';

/**
 * Registers the tests of what every `InboxStore` must do. Call it inside a `describe`.
 *
 * @param framework `describe`, `it` and `expect` of Jest, Vitest or another one.
 * @param open Makes an empty store, for each test.
 * @param options.remembersHandlers False if the store undoes the work of all handlers together when one fails, so that
 * there is nothing to remember: each claim then has a transaction, and the journal inside of it. By default true.
 *
 * @publicApi
 */
export function inboxContract(
  framework: ContractFramework,
  open: () => Promise<InboxUnderTest> | InboxUnderTest,
  options: { readonly remembersHandlers?: boolean } = {},
): void {
  const { remembersHandlers = true } = options;
  const register = (cases: Cases<InboxTest>): void => {
    registerCases(framework, cases, async () => inboxTest(framework.expect, await open(), remembersHandlers));
  };
  register(INBOX_CLAIMING);
  register(remembersHandlers ? HANDLERS_REMEMBERED : HANDLERS_UNDONE);
  register(INBOX_TAKING_OVER);
  register(INBOX_WAITING);
  if (!remembersHandlers) register(CLAIMS_IN_TRANSACTIONS);
  framework.describe('a claim that is withdrawn', () => {
    register(WITHDRAWN_CLAIMS);
  });
  framework.describe('a delivery whose entry must be there', () => {
    register(EXISTING_ENTRIES);
  });
  framework.describe('the provider reference of an outcome', () => {
    register(PROVIDER_REFERENCES);
  });
  framework.describe('the accounts that it lists', () => {
    registerCases(framework, ACCOUNT_LISTING, async () => {
      const { inbox } = await open();
      return {
        expect: framework.expect,
        store: inbox,
        write: async (scope, reference) => {
          const delivery = inboxDelivery(reference, { key: inboxKey(reference, scope) });
          await claimed(await inbox.claim(delivery, LEASE_MS)).finish();
        },
      };
    });
  });
}
