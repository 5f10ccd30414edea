import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PaymentsSandbox, type SandboxRequest } from 'nestjs-payments/sandbox';
import { type Conclusion } from '../../lib/cli/conformance/conclusion.js';
import { observedProfile } from '../../lib/cli/conformance/report/observed-profile.js';
import { type QuestionInputs, type Step } from '../../lib/cli/conformance/questions/question.js';
import { type AskedGateway, Conversation } from '../../lib/cli/conformance/run/conversation.js';
import { keyFor, referenceFor } from '../../lib/cli/conformance/run/identity.js';
import { movesMoney } from '../../lib/cli/conformance/run/money-of-step.js';
import {
  type PlannedQuestion,
  planRun,
  type RunCaps,
  type RunPlan,
} from '../../lib/cli/conformance/run/plan.js';
import { runQuestions, type RunQuestionsOptions } from '../../lib/cli/conformance/run/run-questions.js';
import {
  FACT_NAMES,
  type FactName,
  FACTS,
  type FactValue,
  LONGEST_METADATA,
} from '../../lib/gateway-profile/facts.js';
import { type GatewayProfile } from '../../lib/gateway-profile/gateway-profile.js';
import { randomFacts } from '../../lib/gateway-profile/resolved-facts.js';
import { Random } from './random.js';
import { WEBHOOK_QUESTIONS } from '../../lib/cli/conformance/webhooks/webhook-questions.js';
import { UsageError } from '../../lib/cli/usage-error.js';
import { QUESTIONS } from '../../lib/cli/conformance/questions/questions.js';

export {
  Conversation,
  observedProfile,
  planRun,
  QUESTIONS,
  UsageError,
  type Conclusion,
  type FactName,
  type FactValue,
};

/** Inputs with which every question can be asked. */
export const ALL_INPUTS: QuestionInputs = {
  phone: '255712000111',
  partnerPhone: '255713000222',
  recipientPhone: '255714000333',
  network: 'NET_ONE',
  bankCode: 'BSB',
  longBankCode: 'BAOBAB_SAVINGS',
  bankAccount: '7770001111',
  accountName: 'Amani Juma',
  unknownAccount: '9990000404',
  collectionStatusPath: '/payments/{reference}',
  payoutStatusPath: '/disbursements/{reference}',
  aboveBalanceCents: 200_000_000,
  amountCents: 100_000,
};

/** The same, and the run continues after an hour. */
export const HOUR_INPUTS: QuestionInputs = { ...ALL_INPUTS, afterAnHour: true };

/** In TZS. */
const MOST_OF_A_SEARCH = 1_000;

export const WIDE_CAPS: RunCaps = { maxRequests: 200, maxAmountCents: 10_000_000_000 };

export function gatewayOf(sandbox: PaymentsSandbox, merchant = 'asker'): AskedGateway {
  return {
    baseUrl: sandbox.baseUrl,
    apiKey: `pk_test_${merchant}`,
    apiSecret: `sk_test_${merchant}`,
  };
}

/** A folder that ends with the test. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A journal that does not exist yet. */
export function ownJournal(): string {
  return join(ownFolder(), 'journal.jsonl');
}

/** Runs a plan to its end, or until the signal. */
export async function conclusionsOf(
  gateway: AskedGateway,
  plan: RunPlan = planRun(ALL_INPUTS, WIDE_CAPS),
  {
    journal = ownJournal(),
    now = Date.now,
    ...options
  }: RunQuestionsOptions & { journal?: string; now?: () => number } = {},
): Promise<readonly Conclusion[]> {
  const conversation = await Conversation.open(gateway, plan, journal, now);
  try {
    const conclusions: Conclusion[] = [];
    const run = runQuestions(plan, conversation, { wait: () => Promise.resolve(), ...options });
    for await (const result of run) conclusions.push(...result.conclusions);
    return conclusions;
  } finally {
    conversation.close();
  }
}

/** Runs a plan, and continues with it after an hour of the emulator's manual clock, or after another wait. */
export async function conclusionsAfterAnHour(
  sandbox: PaymentsSandbox,
  plan: RunPlan = planRun(HOUR_INPUTS, WIDE_CAPS),
  journal = ownJournal(),
  { baseUrl = sandbox.baseUrl, waitMs = 3_600_000 }: { baseUrl?: string; waitMs?: number } = {},
): Promise<readonly Conclusion[]> {
  const options = { journal, now: () => sandbox.clock.now() };
  const gateway = { ...gatewayOf(sandbox), baseUrl };
  await conclusionsOf(gateway, plan, options);
  await sandbox.clock.advance(waitMs);
  return conclusionsOf(gateway, plan, options);
}

/** What the emulator does without a profile, as far as requests show it: its webhooks answer other questions. */
export const DOCUMENTED_FACTS: ReadonlyMap<FactName, FactValue> = new Map(
  FACT_NAMES.filter((fact) => !WEBHOOK_QUESTIONS.some(({ name }) => name === fact))
    // No request makes a provider fail.
    .filter((fact) => !fact.endsWith(' of PROVIDER_ERROR'))
    .map((name) => [name, FACTS[name].values[0]]),
);

/** The facts of conclusions. Throws if one is there twice with two values. */
export function factsOf(conclusions: readonly Conclusion[]): ReadonlyMap<FactName, FactValue> {
  const facts = new Map<FactName, FactValue>();
  for (const { fact } of conclusions) {
    if (!fact) continue;
    const before = facts.get(fact.name);
    if (before !== undefined && before !== fact.value) throw new Error(`${fact.name} is concluded twice`);
    facts.set(fact.name, fact.value);
  }
  return facts;
}

/**
 * What was sent that is not in the plan, or not in its order, or with another reference or key; empty if a part of the plan was sent,
 * each request once, and nothing else.
 */
export function unplannedOf(
  plan: RunPlan,
  requests: readonly SandboxRequest[],
  journal: string,
): readonly string[] {
  const { run } = JSON.parse(readFileSync(journal, 'utf8').split('\n')[0]!) as { readonly run: string };
  const expected = plan.questions.map((planned) => {
    const all = expectedOf(planned, run);
    const later = all.findIndex(({ step }) => step.notBeforeMs !== undefined);
    return later === -1 ? ([all, []] as const) : ([all.slice(0, later), all.slice(later)] as const);
  });
  const open = [...expected.flatMap(([atOnce]) => atOnce), ...expected.flatMap(([, later]) => later)];
  return requests.flatMap((request) => {
    const at = open.findIndex((one) => isSame(one, request));
    if (at === -1) return [`${request.method} ${request.path}`];
    open.splice(0, at + 1);
    return [];
  });
}

interface Expected {
  readonly step: Step;
  readonly reference: string;
  readonly key: string;
  /** The value that a search asks is open. */
  readonly isSearch: boolean;
}

function expectedOf({ question, steps }: PlannedQuestion, run: string): readonly Expected[] {
  const identity = (step: number) => ({ run, question: question.name, step });
  return steps.map((step, index) => ({
    step,
    reference: referenceFor(identity(step.referenceOf ?? index), step.referenceLength),
    key: keyFor(identity(step.keyOf ?? index)),
    isSearch: question.search !== undefined,
  }));
}

function isSame({ step, reference, key, isSearch }: Expected, request: SandboxRequest): boolean {
  const { operation, path, body } = step;
  const sent = `${request.method} ${request.path.replace('/api/v1', '')}`;
  const isOperation = path ? sent === `GET ${path.replace('{reference}', reference)}` : operation === sent;
  if (!isOperation || typeof body !== 'object') return isOperation && (body ?? null) === request.body;
  if (!movesMoney(operation)) return JSON.stringify(request.body) === JSON.stringify(body);
  const { reference: own, ...fields } = request.body as Readonly<Record<string, unknown>>;
  if (request.headers['idempotency-key'] !== key) return false;
  if (!isSearch) return own === reference && JSON.stringify(fields) === JSON.stringify(body);
  // A longer reference ends with letters that no short one has.
  const isOwn = String(own).replace(/x+$/, '') === reference.replace(/x+$/, '');
  const isShort = JSON.stringify(fields['metadata'] ?? {}).length <= LONGEST_METADATA;
  const plain = (sent: Readonly<Record<string, unknown>>) =>
    JSON.stringify({ ...sent, amount: 0, ...(sent['metadata'] !== undefined && { metadata: 0 }) });
  const isWithin = Number(fields['amount']) <= MOST_OF_A_SEARCH && Number(fields['amount']) > 0;
  return isOwn && isWithin && isShort && plain(fields) === plain(body);
}

/** A gateway whose every fact is chosen by the seed. */
export function randomProfile(seed: number): GatewayProfile {
  const random = new Random(seed);
  return {
    version: 1,
    observedAt: '2026-01-01T00:00:00.000Z',
    // Limits lie anywhere, and not on the rungs of the search alone.
    facts: randomFacts((values, name) => {
      if (name === 'smallest amount') return 1 + random.below(MOST_OF_A_SEARCH * 100);
      if (name === 'longest metadata') return 64 + random.below(LONGEST_METADATA - 63);
      return name === 'longest reference' ? 36 + random.below(220) : random.pick(values);
    }),
    evidence: {},
  };
}
