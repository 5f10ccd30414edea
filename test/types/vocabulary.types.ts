// The words that records, calls, diagnostics and options are made of: none may become wider.
import {
  type AmountFormat,
  type AttemptInfo,
  type AttemptPhase,
  type BankDisbursement,
  type CallAttemptStartEvent,
  type CallEndEvent,
  type CallWaitEvent,
  type CollectionPayment,
  type CollectionStatus,
  type DEFAULT_ACCOUNT,
  type DisbursementStatus,
  type GatewayAnswerError,
  type HmacOptions,
  type LookupChannel,
  type MobileMoneyDisbursement,
  type MoneyOperation,
  type PaymentsEnvironment,
  type PaymentsError,
  type PaymentsOperation,
  type PaymentsResponse,
  type ProbeOptions,
  type RateOptions,
  type ReadOperation,
  type RetryOptions,
  type SignatureTimestampOptions,
  type SignatureVerdict,
  type StatusPaths,
  type WebhookEndEvent,
  type WebhookHandlerEndEvent,
  type WebhookSecret,
  type WebhookStartEvent,
} from 'nestjs-payments';
import {
  type bankDisbursement,
  type collectionPayment,
  type mobileMoneyDisbursement,
} from 'nestjs-payments/testing';
import { type Equal, type Expect } from './expect.js';

/** A status that the specification does not know stays as it came. */
type OrAnotherWord<Known extends string> = Known | (string & {});

export type Checks = [
  Expect<Equal<AttemptPhase, 'not-sent' | 'ambiguous' | 'answered'>>,
  Expect<Equal<keyof AttemptInfo, 'number' | 'phase' | 'httpStatus' | 'code' | 'durationMs'>>,
  Expect<Equal<PaymentsEnvironment, 'sandbox' | 'production'>>,
  Expect<Equal<typeof DEFAULT_ACCOUNT, 'default'>>,
  Expect<Equal<LookupChannel, 'MOBILE_MONEY' | 'BANK' | 'PARTNERPESA'>>,
  Expect<
    Equal<
      CollectionStatus,
      OrAnotherWord<'pending' | 'processing' | 'success' | 'failed' | 'cancelled' | 'expired'>
    >
  >,
  Expect<
    Equal<DisbursementStatus, OrAnotherWord<'pending' | 'processing' | 'paid' | 'failed' | 'cancelled'>>
  >,
  // Journals hold these words, so none may go; and the type is no plain string.
  Expect<

      | 'collection.mobile-money'
      | 'collection.partner-wallet'
      | 'disbursement.bank'
      | 'disbursement.mobile-money' extends MoneyOperation
      ? true
      : false
  >,
  Expect<

      | 'name-lookup'
      | 'wallet.balance'
      | 'banks.list'
      | 'collection.status'
      | 'disbursement.status' extends ReadOperation
      ? true
      : false
  >,
  Expect<Equal<PaymentsOperation, MoneyOperation | ReadOperation>>,
  Expect<string extends PaymentsOperation ? false : true>,
  Expect<Equal<AmountFormat, 'number' | 'string'>>,
  Expect<Equal<keyof ProbeOptions, 'collections' | 'disbursements'>>,
  Expect<Equal<keyof RateOptions, 'perSecond' | 'concurrency'>>,
  Expect<Equal<keyof RetryOptions, 'maxAttempts' | 'baseDelayMs' | 'maxDelayMs'>>,
  Expect<Equal<keyof StatusPaths, 'collection' | 'disbursement'>>,
  Expect<Equal<SignatureTimestampOptions['unit'], 's' | 'ms' | 'iso'>>,
  Expect<Equal<Extract<WebhookSecret, string>, string>>,
  Expect<Equal<SignatureVerdict['ok'], boolean>>,
  Expect<Equal<HmacOptions['header'], string>>,
  Expect<Equal<CallAttemptStartEvent['method'], 'GET' | 'POST'>>,
  Expect<Equal<CallWaitEvent['reason'], 'retry' | 'rate'>>,
  Expect<Equal<CallEndEvent['outcome'], 'success' | 'unknown' | 'failed' | 'aborted'>>,
  Expect<Equal<WebhookStartEvent['source'], 'request' | 'queue' | 'release'>>,
  Expect<Equal<WebhookHandlerEndEvent['outcome'], 'success' | 'failed'>>,
  Expect<Equal<WebhookEndEvent['status'], 200 | 500 | 503>>,
  Expect<Equal<GatewayAnswerError extends PaymentsError ? true : false, true>>,
  Expect<Equal<ReturnType<typeof bankDisbursement>, PaymentsResponse<BankDisbursement>>>,
  Expect<Equal<ReturnType<typeof collectionPayment>, PaymentsResponse<CollectionPayment>>>,
  Expect<Equal<ReturnType<typeof mobileMoneyDisbursement>, PaymentsResponse<MobileMoneyDisbursement>>>,
];
