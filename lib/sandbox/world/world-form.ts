import { PAYMENT_EVENT_NAMES } from '../../common/events.js';
import { instantOf } from '../../common/instant.js';
import { amountProblem } from '../../common/money.js';
import { COLLECTION_STATUSES } from '../../common/vocabulary.js';
import { isPaymentsError } from '../../errors/payments-errors.js';
import { hmac } from '../../webhooks/signature/hmac-scheme.js';
import { type HmacOptions } from '../../webhooks/signature/hmac-options.js';
import {
  standardWebhooks,
  type StandardWebhooksOptions,
} from '../../webhooks/signature/standard-webhooks.js';
import { stripeStyle, type StripeStyleOptions } from '../../webhooks/signature/stripe-style.js';
import { type Duration, milliseconds } from '../clock/duration.js';
import { BALANCE_RULE, balanceCents } from '../core/amounts.js';
import { SANDBOX_OPERATIONS } from '../core/operation-name.js';
import { FAULT_KINDS } from '../core/fault.js';
import {
  FLAG,
  type Form,
  list,
  map,
  object,
  OBJECT,
  orNull,
  says,
  TEXT,
  value,
  whole,
  within,
  word,
  type WorldProblem,
} from './form.js';
import {
  type SandboxWorld,
  type SandboxWorldBank,
  type SandboxWorldFault,
  type SandboxWorldMerchant,
  type SandboxWorldPayment,
  type SandboxWorldPayout,
  type SandboxWorldScheme,
  type SandboxWorldWebhook,
} from './sandbox-world.js';

const LARGEST = Number.MAX_SAFE_INTEGER;
const MERCHANT_NAME = /^[\w-]{1,64}$/;

/** An amount that a call could name. */
const AMOUNT: Form = {
  schema: { type: ['number', 'string'], examples: ['15000.00'] },
  check: (given, path, report) => {
    const problem = amountProblem(given);
    if (problem !== undefined) report({ path, message: problem });
  },
};
/** A balance or fee, which may be 0. */
const BALANCE: Form = value(
  { type: ['number', 'string'], examples: ['250000.00'] },
  (given) => balanceCents(given) !== undefined,
  `${BALANCE_RULE}: write 250000.00`,
);
const DURATION: Form = value(
  { type: ['number', 'string'], pattern: '^\\d+(\\.\\d+)?(ms|s|m|h|d)$', examples: ['15m'] },
  isDuration,
  'must be a number with its unit: write 90s, 15m or 6h',
);
const MOMENT: Form = value(
  { type: 'string', format: 'date-time' },
  (given) => instantOf(given) !== undefined,
  'must be a moment with its time zone: write 2026-06-01T08:00:00Z',
);
const DIRECTORY = map(
  {
    pattern: /^\d{5,20}$/,
    otherwise: 'must be a phone or account number of 5 to 20 digits',
    arePrivate: true,
  },
  orNull(TEXT),
);

const WEBHOOKS = list(
  object<SandboxWorldWebhook>(
    {
      url: says('Where the webhooks go.', TEXT),
      events: says('The events that it gets; all without this.', list(word(...PAYMENT_EVENT_NAMES))),
      enabled: says('Whether it gets any.', FLAG),
      secret: says("What signs them; without this, the emulator's webhook secret.", TEXT),
    },
    ['url'],
  ),
);

const FAULT = object<SandboxWorldFault>(
  {
    operation: says('Method and path below /api/v1.', word(...SANDBOX_OPERATIONS)),
    kind: says('What happens to the call.', word(...FAULT_KINDS)),
    status: says('Status of the answer, for status and html.', whole(200, 599)),
    retry_after: says('Retry-After in seconds, for status.', whole(0, LARGEST)),
    code: says("The gateway's code, for status.", TEXT),
    after_processing: says('Whether the call is processed first, for status and html.', FLAG),
    duration: says('For delay and drip.', DURATION),
    times: says('How many calls it applies to; 1 without this.', whole(1, LARGEST)),
    probability: says('The chance that it applies to a call.', within(0, 1)),
    reference: says('The reference that the call must have.', TEXT),
    merchant: says('The merchant that the call must be of.', TEXT),
  },
  ['operation', 'kind'],
);

const MONEY = {
  reference: says("The merchant's reference.", TEXT),
  amount: says('Amount of TZS.', AMOUNT),
  reason: says('Why it failed or was cancelled, in words.', TEXT),
  age: says('How long before the start it was accepted, and settled if it has ended.', DURATION),
  idempotency_key: says('The idempotency key that it used up.', TEXT),
  metadata: says('Data of the merchant.', OBJECT),
};

const PAYMENT = object<SandboxWorldPayment>(
  {
    ...MONEY,
    phone: says("The customer's number, as 255XXXXXXXXX, in quotes.", TEXT),
    method: says('How it is collected.', word('mobile_money', 'partnerpesa')),
    status: says("Its status; without this, what the number's ending decides.", word(...COLLECTION_STATUSES)),
    customer_name: says("The customer's name; without this, that of the directory.", TEXT),
    customer_email: says("The customer's address.", TEXT),
  },
  ['reference', 'amount', 'phone'],
);

const PAYOUT = object<SandboxWorldPayout>(
  {
    ...MONEY,
    status: says(
      "Its status; without this, what the number's ending decides.",
      word('processing', 'paid', 'failed', 'cancelled'),
    ),
    remarks: says('What the recipient reads.', TEXT),
    bank_code: says('The bank of the account.', TEXT),
    account_number: says('The account, in quotes.', TEXT),
    account_name: says("The account's holder; without this, that of the directory.", TEXT),
    recipient_phone: says("The recipient's number, as 255XXXXXXXXX, in quotes.", TEXT),
    recipient_name: says("The recipient's name; without this, that of the directory.", TEXT),
    network: says("The recipient's network; without this, that of the number.", TEXT),
  },
  ['reference', 'amount'],
);

const MERCHANT = object<SandboxWorldMerchant>({
  balance: says('The available money, after the payments and payouts below.', BALANCE),
  directory: says('Its own account holders, before the shared ones.', DIRECTORY),
  webhooks: says('Its own webhook addresses, in place of the shared ones.', WEBHOOKS),
  payments: says('Its payments. Their webhooks are not sent, but can be replayed.', list(PAYMENT)),
  payouts: says('Its payouts.', list(PAYOUT)),
});

const BANK = object<SandboxWorldBank>({ id: whole(0, LARGEST), name: TEXT, code: TEXT, long_code: TEXT }, [
  'id',
  'name',
  'code',
]);

const HMAC = object<HmacOptions>({
  header: TEXT,
  algorithm: TEXT,
  encoding: TEXT,
  prefix: TEXT,
  payload: value(
    { type: 'array' },
    Array.isArray,
    'must be a list, such as [timestamp, { literal: . }, body]',
  ),
  timestamp: OBJECT,
  id: OBJECT,
  signatures: OBJECT,
});
const STANDARD = object<StandardWebhooksOptions>({ prefix: TEXT, toleranceSeconds: whole(1, LARGEST) });
const STRIPE = object<StripeStyleOptions>({
  header: TEXT,
  toleranceSeconds: whole(1, LARGEST),
  unit: TEXT,
  signatureKey: TEXT,
  separator: TEXT,
});
const SCHEME = schemeForm(
  object<SandboxWorldScheme>({ hmac: HMAC, standardWebhooks: STANDARD, stripeStyle: STRIPE }),
);

/** The form of a whole world: the checks and the JSON Schema of seed files come from it. */
export const WORLD: Form = object<SandboxWorld>(
  {
    clock: says('A manual clock moves on the page and by the control API only.', word('real', 'manual')),
    now: says('Where the clock begins.', MOMENT),
    frozen: says('Whether a real clock stands still.', FLAG),
    seed: says('The same seed gives the same ids and webhook secret.', whole(0, 2 ** 32 - 1)),
    auto: says('Approves payments and pays payouts by itself after two seconds.', FLAG),
    profile: says('How much answers vary.', word('documented', 'adversarial')),
    startingBalance: says("Each merchant's balance, unless it has one of its own.", BALANCE),
    fees: says(
      "The gateway's fees.",
      object<NonNullable<SandboxWorld['fees']>>({ collectionPercent: within(0, 100), payout: BALANCE }),
    ),
    expireAfter: says('How long a payment waits for its customer.', DURATION),
    webhookScheme: says('How webhooks are signed.', SCHEME),
    webhookSecret: says('What signs webhooks: at least 16 bytes.', TEXT),
    banks: says('The banks, in place of the made-up ones.', list(BANK)),
    directory: says('The holder of each phone and account number; null closes it.', DIRECTORY),
    webhooks: says('Webhook addresses for the merchants that have none of their own.', WEBHOOKS),
    faults: says('Faults that wait for a call.', list(FAULT)),
    merchants: says(
      'The merchants, by the x of their keys pk_test_x and sk_test_x.',
      map(
        {
          pattern: MERCHANT_NAME,
          otherwise: 'must be a name of 1 to 64 letters, digits, hyphens and underscores',
        },
        MERCHANT,
      ),
    ),
  },
  [],
  true,
);

/** The JSON Schema of seed files, for editors. */
export const WORLD_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Seed file of the nestjs-payments emulator',
  ...WORLD.schema,
};

/**
 * The scheme that a world describes.
 *
 * @throws PaymentsConfigError if the options describe no signature.
 */
export function schemeOf({ hmac: own, standardWebhooks: standard, stripeStyle: stripe }: SandboxWorldScheme) {
  if (own) return hmac(own as unknown as HmacOptions);
  if (stripe) return stripeStyle(stripe as unknown as StripeStyleOptions);
  return standardWebhooks(standard);
}

/** One function's name, with options that the function takes. */
function schemeForm(form: Form): Form {
  return {
    schema: { ...form.schema, minProperties: 1, maxProperties: 1 },
    check: (given, path, report) => {
      const problems: WorldProblem[] = [];
      form.check(given, path, (problem) => problems.push(problem));
      problems.forEach(report);
      if (problems.length > 0) return;
      const message = schemeProblem(given as SandboxWorldScheme);
      if (message !== undefined) report({ path, message });
    },
  };
}

function schemeProblem(scheme: SandboxWorldScheme): string | undefined {
  if (Object.keys(scheme).length !== 1)
    return 'must have one of the keys hmac, standardWebhooks, stripeStyle';
  try {
    schemeOf(scheme);
    return undefined;
  } catch (error) {
    if (!isPaymentsError(error)) throw error;
    return `describes no signature: ${error.message}`;
  }
}

function isDuration(given: unknown): boolean {
  try {
    return milliseconds(given as Duration) >= 0;
  } catch {
    return false;
  }
}
