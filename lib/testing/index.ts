/**
 * The testing module, signed webhooks and complete records for tests.
 *
 * @module nestjs-payments/testing
 */

import 'reflect-metadata';

export { conflictContract } from './contracts/conflict-contract.js';
export { type ConflictsUnderTest } from './contracts/conflict-test.js';
export {
  type ContractExpect,
  type ContractFramework,
  type ContractMatchers,
} from './contracts/contract-framework.js';
export { dailyCapContract } from './contracts/daily-cap-contract.js';
export { inboxContract } from './contracts/inbox-contract.js';
export { type InboxUnderTest } from './contracts/inbox-test.js';
export {
  type ApplicationTransaction,
  joinedJournalContract,
  type JoinedJournalUnderTest,
} from './contracts/joined-journal-contract.js';
export { damagedJournalContract, journalContract, type JournalDamage } from './contracts/journal-contract.js';
export { type JournalUnderTest } from './contracts/journal-test.js';
export { type GatewayRecording, type RecordedExchange } from '../gateway-profile/gateway-recording.js';
export { GatewayReplay } from './gateway-replay.js';
export { paymentEvent } from './payment-event.js';
export { bankDisbursement, collectionPayment, mobileMoneyDisbursement } from './payment-records.js';
export { PaymentsTestingModule } from './payments-testing.module.js';
export { postWebhook, type WebhookResponse } from './post-webhook.js';
export { signWebhook, type SignWebhookOptions } from './sign-webhook.js';
export {
  type PaymentsTestedOptions,
  type PaymentsTestingOptions,
  type PaymentsTestingOverrides,
} from './testing-options.js';
