/**
 * The emulator of the whole gateway, with matchers for tests.
 *
 * @module nestjs-payments/sandbox
 */

export { PaymentsSandbox } from './payments-sandbox.js';
export { type PaymentsSandboxOptions } from './sandbox-options.js';
export { type FactName, type GatewayFacts } from '../gateway-profile/facts.js';
export {
  type GatewayProfile,
  type HmacFacts,
  type SignedPartFact,
  type StandardWebhooksFacts,
  type StripeStyleFacts,
  type WebhookFacts,
} from '../gateway-profile/gateway-profile.js';
export { readProfile } from '../gateway-profile/read-profile.js';
export { type Duration } from './clock/duration.js';
export { type SandboxClock } from './clock/sandbox-clock.js';
export { type SandboxActivity } from './control/activity.js';
export {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxDeliveryAttempt,
  type SandboxPayment,
  type SandboxPayout,
} from './control/records.js';
export {
  type SandboxClockState,
  type SandboxDueEvent,
  type SandboxFault,
  type SandboxFaults,
} from './control/resources.js';
export { type SandboxKeyPair } from './core/credentials.js';
export { type ProcessingOptions, type StatusFaultOptions } from './core/fault.js';
export { type NameDirectory } from './core/name-directory.js';
export { type SandboxOperation, type SandboxPayoutKind } from './core/operation-name.js';
export { type SandboxExchange, type SandboxRequest } from './core/request-journal.js';
export { PaymentsSandboxError, type SandboxErrorCode } from './core/sandbox.error.js';
export { type CallSelection, type NextCall, type PlannedFault } from './faults/next-call.js';
export { type SandboxCustomer } from './handle/customer.js';
export { type SandboxState } from './state/state-entry.js';
export { type SandboxPayoutProvider } from './handle/payout-provider.js';
export {
  type MerchantSelection,
  type SandboxMerchant,
  type StatementPeriod,
} from './handle/sandbox-merchant.js';
export {
  type SandboxWorld,
  type SandboxWorldBank,
  type SandboxWorldFault,
  type SandboxWorldMerchant,
  type SandboxWorldMoney,
  type SandboxWorldPayment,
  type SandboxWorldPayout,
  type SandboxWorldScheme,
  type SandboxWorldWebhook,
} from './world/sandbox-world.js';
export {
  type AsymmetricMatcher,
  type ExpectedFields,
  type MatcherContext,
  type MatcherResult,
} from './matchers/matcher-result.js';
export {
  type ExpectedDelivery,
  type ExpectedRequest,
  sandboxMatchers,
  type SandboxMatchers,
} from './matchers/sandbox-matchers.js';
