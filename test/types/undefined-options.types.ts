// An option that is undefined counts as left out: `exactOptionalPropertyTypes` lets an application write a variable that may be.
import {
  type CallOptions,
  memoryStorage,
  type PaymentsInbox,
  type PaymentsJournal,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PurgeAges,
  type WebhookOptions,
  type WebhookScheme,
} from 'nestjs-payments';

declare const time: number | undefined;
declare const text: string | undefined;
declare const scheme: WebhookScheme;

const required = { baseUrl: 'http://127.0.0.1:4242/api/v1', apiKey: 'pk_test_a' } as const;

export const webhooks: WebhookOptions = {
  scheme,
  secrets: [{ value: 'a-secret-of-some-length', encoding: undefined, allowShort: undefined }],
  bodyLimit: time,
  leaseMs: time,
  retentionDays: time,
  unknownReferences: undefined,
  supersede: undefined,
};

export const written: PaymentsModuleOptions = {
  ...required,
  apiSecret: text,
  environment: undefined,
  timeoutMs: time,
  retry: { maxAttempts: time, baseDelayMs: time, maxDelayMs: time },
  rate: { perSecond: time, concurrency: time },
  probe: { collections: undefined, disbursements: { afterAnswerMs: time, afterSilenceMs: time } },
  statusPaths: { collection: text, disbursement: text },
  amountFormat: { collections: undefined, disbursements: undefined },
  refusalCodes: undefined,
  banks: { maxAgeMs: time, staleIfErrorMs: time },
  webhooks: undefined,
};

export const call: CallOptions = { timeoutMs: time, idempotencyKey: text };

export const ages: PurgeAges = { olderThanMs: 1, rejectedOlderThanMs: time, tombstonesOlderThanMs: time };

export async function reading(journal: PaymentsJournal, inbox: PaymentsInbox): Promise<void> {
  for await (const { reference } of journal.unresolved({ olderThanMs: time })) reference.trim();
  await journal.reseal({ signal: undefined });
  await inbox.conflicts({ after: text, limit: time });
  await inbox.purge({ unrecognizedOlderThanMs: time, unknownReferencesOlderThanMs: time });
  memoryStorage({ maxEntries: time });
  PaymentsModule.forRootAsync({ useFactory: () => ({ ...required, timeoutMs: time, apiSecret: text }) });
}

/** A missing variable removes no guard. */
export function guards(journal: PaymentsJournal): PaymentsModuleOptions[] {
  // @ts-expect-error -- the first attempt is meant, and not whichever is the last one
  void journal.settle('disbursement', 'salary-1', 'failed', { attempt: time });
  return [
    // @ts-expect-error -- a cap of a payment
    { ...required, limits: { disbursement: { max: text } } },
    // @ts-expect-error -- a cap of a day
    { ...required, limits: { disbursement: { perDay: { count: time } } } },
    // @ts-expect-error -- all caps
    { ...required, limits: undefined },
    // @ts-expect-error -- the list of allowed networks
    { ...required, networks: undefined },
    // @ts-expect-error -- a storage that outlives the process
    { ...required, storage: undefined },
    // @ts-expect-error -- the seal of personal data
    { ...required, encryption: undefined },
    // @ts-expect-error -- the end of a secret
    { ...required, webhooks: { scheme, secrets: [{ value: 'a-secret-of-some-length', notAfter: text }] } },
  ];
}
