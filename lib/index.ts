/**
 * The module, its services, errors and webhooks.
 *
 * @module nestjs-payments
 */
import 'reflect-metadata';

export { PaymentsModule } from './payments.module.js';
export {
  type PaymentsModuleAsyncOptions,
  type PaymentsModuleExtras,
  type PaymentsModuleRootOptions,
} from './payments-options.module.js';
export { type PaymentsFactoryOptions } from './config/environment-options.js';
export { paymentsConfig } from './config/payments.config.js';
export {
  type UnknownReferences,
  type WebhookHostRequest,
  type WebhookOptions,
  type WebhookSecret,
} from './config/webhook-options.js';
export {
  type AmountFormat,
  type AmountLimits,
  type BankDirectoryOptions,
  type DailyLimits,
  type PaymentsModuleOptions,
  type ProbeOptions,
  type ProbeWaits,
  type RateOptions,
  type RetryOptions,
  type StatusPaths,
} from './config/payments-options.js';
export { type PaymentsOptionsFactory } from './config/options-factory.js';
export {
  type PaymentsAccountOptions,
  type PaymentsAccountsOptions,
  type PaymentsResolverOptions,
} from './config/accounts-options.js';
export { type PaymentsAccount } from './accounts/account.js';
export { PaymentsAccountError } from './errors/payments-account.error.js';
export { type AllAccounts, PaymentsAccounts } from './accounts/payments-accounts.js';
export {
  type AllAccountsReport,
  type AllPurgeReport,
  type AllRecoveryReport,
  type AllResealReport,
  type SkippedAccount,
} from './accounts/all-reports.js';
export { type InboxOfAllAccounts } from './accounts/inbox-of-all.js';
export {
  type AllPurgeAges,
  type JournalOfAllAccounts,
  type JournalEntryOfAccount,
  type OldestOfAccount,
} from './accounts/journal-of-all.js';
export { getPaymentsToken, InjectPayments } from './common/tokens.js';

export { CollectionsService } from './collections/collections.service.js';
export { CollectionPayment } from './collections/collection-payment.js';
export { MobileMoneyCollectionDto, PartnerWalletCollectionDto } from './collections/collection.dto.js';
export { DisbursementsService } from './disbursements/disbursements.service.js';
export { BankDisbursement, BankDisbursementDto } from './disbursements/bank-disbursement.js';
export {
  MobileMoneyDisbursement,
  MobileMoneyDisbursementDto,
} from './disbursements/mobile-money-disbursement.js';
export { NameLookupService } from './name-lookup/name-lookup.service.js';
export { NameLookupDto, type LookupChannel } from './name-lookup/name-lookup.dto.js';
export {
  BankNameLookup,
  MobileMoneyNameLookup,
  type NameLookupResult,
  PartnerWalletNameLookup,
} from './name-lookup/name-lookup-result.js';
export { WalletService } from './wallet/wallet.service.js';
export { WalletBalance } from './wallet/wallet-balance.js';
export { BanksService } from './banks/banks.service.js';
export { Bank } from './banks/bank.js';

export { type CallOptions } from './gateway/call-options.js';
export { type LastResponse, type PaymentsResponse } from './gateway/answer/wire-record.js';
export { type MoneyOperation, type PaymentsOperation, type ReadOperation } from './common/operations.js';
export {
  type AttemptInfo,
  type AttemptPhase,
  DEFAULT_ACCOUNT,
  type PaymentsEnvironment,
  type PaymentFamily,
  type CollectionStatus,
  type DisbursementStatus,
  type OutcomeOf,
  type PaymentOutcome,
  type OutcomeEvidence,
  type ProbeWait,
  type InboxScope,
  type InboxKind,
  type SetAsideKind,
  type JournalState,
} from './common/vocabulary.js';
export { type MoneyInput, addMoney, compareMoney, formatTzs } from './common/money.js';
export { normalizeTzPhone } from './common/phone.js';
export {
  CALL_ATTEMPT_CHANNEL,
  CALL_ATTEMPT_START_CHANNEL,
  CALL_END_CHANNEL,
  CALL_START_CHANNEL,
  CALL_WAIT_CHANNEL,
  type CallAttemptEvent,
  type CallAttemptStartEvent,
  type CallEndEvent,
  type CallStartEvent,
  type CallWaitEvent,
} from './common/call-diagnostics.js';
export { onPaymentsDiagnostics, type PaymentsDiagnostics } from './common/diagnostics.js';
export { type ContextRunner, type ContextualEvent } from './common/run-in-context.js';
export {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_REFUSED_CHANNEL,
  WEBHOOK_START_CHANNEL,
  type WebhookEndEvent,
  type WebhookHandlerEndEvent,
  type WebhookHandlerStartEvent,
  type WebhookRefusedEvent,
  type WebhookStartEvent,
  type WebhookSubject,
} from './common/webhook-diagnostics.js';

export {
  isPaymentsError,
  PaymentsError,
  type PaymentsErrorDetails,
  GatewayAnswerError,
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
  WebhookRefusedError,
  ReferenceReusedError,
} from './errors/payments-errors.js';
export { DailyCapReachedError } from './errors/daily-cap.error.js';
export { PaymentsOverloadError } from './errors/payments-overload.error.js';
export { type GatewayCode } from './errors/gateway-codes.js';
export { PaymentsErrorBody } from './errors/payments-error-body.js';
export {
  PAYMENTS_ERROR_INTERCEPTOR_OPTIONS,
  PaymentsErrorInterceptor,
  type PaymentsErrorInterceptorOptions,
} from './errors/payments-error.interceptor.js';

export { PaymentsJournal, type WaitForOutcomeOptions } from './journal/payments-journal.js';
export { type EnlistedPayment, type EnlistOptions, type SendOptions } from './journal/payment/enlisting.js';
export { type OldestUnresolved } from './journal/recovery/oldest-unresolved.js';
export { type PurgeAges } from './journal/purge-ages.js';
export { type RecoveryReport } from './journal/recovery/recovery-report.js';

export { PaymentEvent, PaymentsWebhook } from './webhooks/route/payments-webhook.decorator.js';
export { PaymentsWebhookGuard } from './webhooks/route/payments-webhook.guard.js';
export {
  OnPayment,
  type OnPaymentOptions,
  type PaymentTrigger,
} from './webhooks/handlers/on-payment.decorator.js';
export { type PaymentEventContext } from './webhooks/handlers/handler-context.js';
export { verifyWebhook, type VerifyWebhookOptions } from './webhooks/verify-webhook.js';
export {
  type WebhookBody,
  type WebhookRequestLine,
  type WebhookHttpAnswer,
} from './webhooks/delivery/host-webhook.js';
export { type WebhookHeaders } from './webhooks/delivery/delivery-head.js';
export { type ConflictPage, type InboxPurgeAges, PaymentsInbox } from './webhooks/payments-inbox.js';
export { hmac } from './webhooks/signature/hmac-scheme.js';
export { standardWebhooks, type StandardWebhooksOptions } from './webhooks/signature/standard-webhooks.js';
export { stripeStyle, type StripeStyleOptions } from './webhooks/signature/stripe-style.js';
export { customScheme, type CustomSchemeOptions } from './webhooks/signature/custom-scheme.js';
export {
  type HmacOptions,
  type SignatureTimestampOptions,
  type SignedPart,
} from './webhooks/signature/hmac-options.js';
export {
  type RawWebhook,
  type SignatureVerdict,
  type WebhookScheme,
  type WebhookSecretForm,
  type WebhookSigningInput,
} from './common/webhook-scheme.js';
export { type PaymentEventData, type PaymentEventName, type PaymentWebhookEvent } from './common/events.js';
export {
  type PaymentsEventOrigin,
  type PaymentsEvents,
  type RejectedPayment,
  type UnknownPayment,
} from './common/application-events.js';
export {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from './storage/inbox-store.js';
export { type ConflictStore, type InboxConflict, type SetAsideDelivery } from './storage/conflict-store.js';
export { type AccountPage, type AccountPageStart } from './storage/account-page.js';
export { type PaymentsStorage } from './storage/payments-storage.js';
export {
  type DailyCapStore,
  type ForgettablePayments,
  type JournalInsertion,
  type JournalInTransaction,
  type JournalPage,
  type JournalRecord,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
  type TombstoneEnd,
} from './storage/journal-store.js';
export { type JournalKey, type JournalScope } from './storage/journal-scope.js';
export {
  type CountedPayment,
  dailyCapDay,
  type DailyCapReached,
  type DailyShare,
} from './storage/daily-cap.js';
export { type JournalEntry, type SettledJournalEntry } from './common/journal-entry.js';
export { aesGcm, type AesGcmOptions } from './storage/sealed/aes-gcm.js';
export { envelope, type EnvelopeOptions } from './storage/sealed/envelope.js';
export { type PaymentsEncryption } from './storage/sealed/encryption.js';
export { type ResealReport } from './storage/sealed/reseal.js';
export { type EncryptionKey } from './storage/sealed/key-bytes.js';
export {
  type KeyManagementService,
  type KeyServiceCall,
  type UnwrapCall,
  type WrapCall,
} from './storage/sealed/key-management.js';
export { memoryStorage, type MemoryStorageOptions } from './storage/memory/memory-storage.js';
