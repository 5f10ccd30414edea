import { createHmac } from 'node:crypto';
import { type RecordedExchange } from '../../../gateway-profile/gateway-recording.js';
import { exchange, type ExchangeRequest, isAnswered } from '../../http-exchange.js';
import { UsageError } from '../../usage-error.js';
import { type QuestionInputs, type Step } from '../questions/question.js';
import { codeOf, type StepAnswer } from '../questions/step-answer.js';
import { keyFor, referenceFor } from './identity.js';
import { moneyOf, movesMoney } from './money-of-step.js';
import { type PlannedQuestion, type RunPlan, totalOf } from './plan.js';
import { readAnswer } from './read-answer.js';
import { redactAnswer } from './redact-answer.js';
import { RunBudget } from './run-budget.js';
import { type JournalledStep, RunJournal } from './run-journal.js';

/** The gateway that is asked. */
export interface AskedGateway {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** How long an answer may take. Left out: 30 s. */
  readonly timeoutMs?: number;
}

/** An answer, and whether it came right now. */
export interface Heard {
  readonly answer: StepAnswer;
  /** Undefined: the journal had it, or nothing was sent. */
  readonly isNew?: true;
  /** When it came, in milliseconds since 1970; undefined: it did not. */
  readonly heardAt?: number | undefined;
}

/** What a torn off request says. */
const LOST: StepAnswer = { kind: 'fault', why: 'its answer was lost' };
const TOO_EARLY: StepAnswer = { kind: 'fault', why: 'it is asked later: the same command continues' };
const UNSENT: StepAnswer = { kind: 'fault', why: 'the gateway could not be reached' };

/** Asks one gateway, one request after another, and writes down each of them before it is sent. */
export class Conversation {
  private readonly budget: RunBudget;
  private readonly inputs: readonly string[];
  private latestDue: number | undefined;

  private constructor(
    private readonly gateway: AskedGateway,
    private readonly journal: RunJournal,
    private readonly now: () => number,
    plan: RunPlan,
  ) {
    this.inputs = textsOf(plan.inputs);
    this.budget = new RunBudget(plan.caps);
    for (const { question, steps } of plan.questions) {
      for (const [index, step] of steps.entries()) {
        const known = journal.find({ question: question.name, step: index });
        if (!known) continue;
        this.budget.spend(known.cents, known.sent);
        if (movedNothing(step, known.outcome)) this.budget.release(known.cents);
      }
    }
  }

  /**
   * Begins a conversation, or continues with the one of the journal.
   *
   * @param now The time, in milliseconds since 1970.
   * @throws UsageError if a key is no test key, or the journal is not one of this run, or another process uses it.
   */
  static async open(
    gateway: AskedGateway,
    plan: RunPlan,
    journalFile: string,
    now = Date.now,
  ): Promise<Conversation> {
    refuseLiveKeys(gateway);
    const journal = await RunJournal.open(journalFile, bondOf(gateway, plan), now);
    return new Conversation(gateway, journal, now, plan);
  }

  /** Asks one request of a question, unless the journal knows its answer. A request that can move money is never sent twice. */
  async ask({ question, steps }: PlannedQuestion, index: number): Promise<Heard> {
    const step = steps[index];
    if (!step) throw new RangeError(`The question has no request ${index + 1}.`);
    const name = { question: question.name, step: index };
    const known = this.journal.find(name);
    if (known && !mayBeAskedAgain(step, known)) {
      return { answer: answerOf(known.outcome), heardAt: known.heardAt };
    }
    if (this.isEarly(question.name, step)) return { answer: TOO_EARLY };
    const cents = totalOf(moneyOf(step));
    const problem = this.budget.problem(cents);
    if (problem !== undefined) return { answer: { kind: 'fault', why: problem } };
    const references = this.referencesOf({ question, steps });
    const request = this.requestFor(step, index, question.name, references);
    this.journal.begin(name, step.operation, cents);
    this.budget.spend(cents);
    const record = await exchange(request.url, request, this.gateway.timeoutMs);
    const outcome = isAnswered(record)
      ? redactAnswer(record, { run: this.journal.run, references, inputs: this.inputs })
      : record.step === 'answer'
        ? 'lost'
        : 'unsent';
    this.journal.end(name, outcome);
    if (movedNothing(step, outcome)) this.budget.release(cents);
    return { answer: answerOf(outcome), isNew: true, heardAt: this.journal.find(name)?.heardAt };
  }

  /** The reference of each step of a question, which it has before the step is sent. */
  referencesOf({ question, steps }: Pick<PlannedQuestion, 'question' | 'steps'>): readonly string[] {
    return steps.map((_, index) => this.referenceOf(question.name, steps, index));
  }

  /** From when on everything that was too early can be asked, in milliseconds since 1970; undefined: nothing was. */
  get waitsUntil(): number | undefined {
    return this.latestDue;
  }

  /** Whether the gateway took any request of the run. */
  get hasReached(): boolean {
    return this.journal.all().some(({ outcome }) => outcome !== 'unsent');
  }

  /** Whether the run of the journal had ended before. Then its answers are told again, and nothing is asked. */
  get wasFinished(): boolean {
    return this.journal.wasFinished;
  }

  /** Writes down that the run has ended. */
  finish(): void {
    this.journal.finish();
  }

  /** Every answer with a body, oldest first, without what could be personal. */
  exchanges(): readonly RecordedExchange[] {
    return this.journal.all().flatMap(({ operation, outcome }) => {
      if (outcome === 'lost' || outcome === 'unsent' || outcome.body === undefined) return [];
      return [{ operation, status: outcome.status, body: outcome.body }];
    });
  }

  close(): void {
    this.journal.close();
  }

  private isEarly(question: string, { notBeforeMs }: Step): boolean {
    if (notBeforeMs === undefined) return false;
    const { heardAt = this.now() } = this.journal.find({ question, step: 0 }) ?? {};
    const due = heardAt + notBeforeMs;
    if (this.now() >= due) return false;
    this.latestDue = Math.max(this.latestDue ?? due, due);
    return true;
  }

  private referenceOf(question: string, steps: readonly Step[], index: number): string {
    const owner = steps[index]?.referenceOf ?? index;
    return referenceFor({ run: this.journal.run, question, step: owner }, steps[owner]?.referenceLength);
  }

  private requestFor(
    step: Step,
    index: number,
    question: string,
    references: readonly string[],
  ): ExchangeRequest & { readonly url: URL } {
    const reference = references[index] ?? '';
    const { run } = this.journal;
    const key = movesMoney(step.operation) && {
      'idempotency-key': keyFor({ run, question, step: step.keyOf ?? index }),
    };
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'nestjs-payments',
      ...this.credentials(step),
    };
    const [method, path = ''] = step.operation.split(' ');
    const url = new URL(
      this.gateway.baseUrl + (step.path?.replace('{reference}', encodeURIComponent(reference)) ?? path),
    );
    if (method === 'GET') return { url, method, headers };
    const withBody = { ...headers, ...key, 'content-type': 'application/json' };
    return { url, method: 'POST', headers: withBody, body: bodyOf(step, reference) };
  }

  private credentials({ credentials }: Step): Readonly<Record<string, string>> {
    const { apiKey, apiSecret } = this.gateway;
    switch (credentials) {
      case 'none':
        return {};
      case 'bearer':
        return { authorization: `Bearer ${apiKey}` };
      case 'wrong secret':
        return { 'x-api-key': apiKey, 'x-api-secret': 'sk_test_not-the-secret' };
      default:
        return { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
    }
  }
}

function bodyOf({ operation, body }: Step, reference: string): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(JSON.stringify(movesMoney(operation) ? { ...body, reference } : body));
}

/** There is no way around this: a question may move money. */
function refuseLiveKeys({ apiKey, apiSecret }: AskedGateway): void {
  if (apiKey.startsWith('pk_test_') && apiSecret.startsWith('sk_test_')) return;
  throw new UsageError(
    'The keys are no test keys, and nothing was sent: write a pair that starts with pk_test_ and sk_test_.',
  );
}

/** Tells nobody what it was made of who does not know the secret. */
function bondOf({ baseUrl, apiKey, apiSecret }: AskedGateway, { questions, caps }: RunPlan): string {
  const asked = questions.map(({ question: { name }, steps }) => [name, steps]);
  return createHmac('sha256', apiSecret)
    .update(JSON.stringify([baseUrl, apiKey, caps, asked]))
    .digest('hex');
}

/** Reads may be asked again, and what surely was not sent. */
function mayBeAskedAgain({ operation }: Step, { outcome }: JournalledStep): boolean {
  return outcome === 'unsent' || (outcome === 'lost' && operation.startsWith('GET '));
}

/** Numbers and names of people. Banks and networks are words of the gateway. */
function textsOf(inputs: QuestionInputs): readonly string[] {
  const { phone, partnerPhone, recipientPhone, bankAccount, accountName, unknownAccount } = inputs;
  const texts = [phone, partnerPhone, recipientPhone, bankAccount, accountName, unknownAccount];
  return texts.filter((text) => text !== undefined);
}

/**
 * Whether a request surely moved nothing. A gateway may have acted before a 5xx. With a key and a reference of its own no request is a
 * duplicate, unless the gateway took it.
 */
function movedNothing({ keyOf, referenceOf }: Step, outcome: JournalledStep['outcome']): boolean {
  if (outcome === 'unsent') return true;
  const answer = answerOf(outcome);
  if (answer.kind !== 'refused' || answer.status >= 500) return false;
  const isDuplicate = codeOf(answer)?.startsWith('DUPLICATE_') ?? false;
  return !isDuplicate || keyOf !== undefined || referenceOf !== undefined;
}

function answerOf(outcome: JournalledStep['outcome']): StepAnswer {
  if (outcome === 'lost') return LOST;
  return outcome === 'unsent' ? UNSENT : readAnswer(outcome);
}
