import { rename } from 'node:fs/promises';
import { formatCents } from '../../common/money.js';
import { PaymentsError } from '../../errors/payments-errors.js';
import { type CommandContext } from '../command.js';
import { onInterruption } from '../payout/interruption.js';
import { UsageError } from '../usage-error.js';
import { type Conclusion } from './conclusion.js';
import { type ConformanceArguments } from './conformance-arguments.js';
import { PERSON_QUESTIONS } from './questions/person.questions.js';
import { changeJson, changeLines, comparedOf } from './report/change-lines.js';
import { conclusionLine, conclusionsSummary } from './report/conclusion-lines.js';
import { observedProfile, withoutValueSentence } from './report/observed-profile.js';
import { type LetterQuestion } from './report/letter-questions.js';
import { letterNumber, openQuestions } from './report/open-questions.js';
import { compareProfiles, type ProfileComparison } from './report/profile-changes.js';
import { type ConformanceResults, writeResults } from './report/write-results.js';
import { type AskedGateway, Conversation } from './run/conversation.js';
import { type RunPlan } from './run/plan.js';
import { runQuestions } from './run/run-questions.js';
import { listenForWebhooks, type WebhookListener } from './webhooks/listen-for-webhooks.js';

const EXIT = { ended: 0, stoppedOrChanged: 1 } as const;
const MINUTE_MS = 60_000;
const PERSON = new Map(PERSON_QUESTIONS.map(({ name, does }) => [name, does]));

interface ConformanceRun {
  readonly args: ConformanceArguments;
  readonly plan: RunPlan;
  readonly gateway: AskedGateway;
  /** The signing secrets of webhooks. */
  readonly secrets: readonly string[];
  readonly context: CommandContext;
  readonly isJson: boolean;
}

/** Asks everything of the plan, says what was found, and writes the files. Returns the exit code. */
export async function runConformance(run: ConformanceRun): Promise<number> {
  const { args, plan, gateway, secrets, context } = run;
  const stop = new AbortController();
  let stopping = 'Stopping after the request under way.';
  const conversation = await Conversation.open(gateway, plan, args.journal);
  const endListening = onInterruption(context.onSignal, {
    pause: () => {
      context.terminal.say(`${stopping} Ctrl-C again ends at once.`);
      stop.abort();
    },
    endProcess: (signal) => process.kill(process.pid, signal),
  });
  let listener: WebhookListener | undefined;
  try {
    if (args.known && conversation.wasFinished) {
      throw new UsageError(
        'The run of this journal has ended, so that --check would compare old answers: name a new file with --journal.',
      );
    }
    context.terminal.say(beginning(run));
    if (args.listen && secrets.length === 0)
      context.terminal.say(
        'PAYMENTS_WEBHOOK_SECRET is not set: how webhooks are signed cannot be learnt without it.',
      );
    listener = args.listen && (await listenForWebhooks(args.listen, plan, conversation, context.terminal));
    const found = await askAll(run, conversation, listener, stop.signal);
    if (stop.signal.aborted) {
      context.terminal.say('It was stopped: the same command continues.');
      return EXIT.stoppedOrChanged;
    }
    if (conversation.waitsUntil !== undefined) {
      tellConclusions(run, found);
      context.terminal.say(waiting(conversation.waitsUntil, args));
      return EXIT.stoppedOrChanged;
    }
    stopping = 'The wait for webhooks was ended: what came until now is told.';
    const heard = await listener?.conclude(secrets, stop.signal);
    conversation.finish();
    const conclusions = [...found, ...(heard?.conclusions ?? [])];
    const profile = observedProfile(conclusions, heard?.webhooks, new Date());
    return await report(run, { conclusions, profile, exchanges: conversation.exchanges() });
  } finally {
    endListening();
    conversation.close();
    await listener?.stop();
  }
}

function unreachable({ baseUrl }: AskedGateway): PaymentsError {
  return new PaymentsError(
    'GATEWAY_UNREACHABLE',
    `${new URL(baseUrl).origin} cannot be reached, and nothing was sent: compare PAYMENTS_BASE_URL. \`npx nestjs-payments doctor\` looks closer.`,
  );
}

function beginning({ gateway, plan }: ConformanceRun): string {
  const { inCents, outCents } = plan.cost;
  return `Asking ${new URL(gateway.baseUrl).origin} with test keys, at most TZS ${formatCents(BigInt(inCents))} in and TZS ${formatCents(BigInt(outCents))} out.`;
}

async function askAll(
  { args, plan, gateway, context, isJson }: ConformanceRun,
  conversation: Conversation,
  listener: WebhookListener | undefined,
  signal: AbortSignal,
): Promise<readonly Conclusion[]> {
  const conclusions: Conclusion[] = [];
  for await (const result of runQuestions(plan, conversation, { signal })) {
    conclusions.push(...result.conclusions);
    listener?.note(result);
    const sent = result.answers.filter(({ isNew }) => isNew);
    if (sent.length === 0) continue;
    if (!conversation.hasReached) throw unreachable(gateway);
    if (!isJson) context.terminal.say(context.terminal.paint('dim', `asked: ${result.question}`));
    const does = PERSON.get(result.question)?.(args.inputs);
    const isWaiting = sent.some(({ answer }) => answer.kind === 'accepted');
    if (does === undefined || !listener || !isWaiting || signal.aborted) continue;
    context.terminal.say(context.terminal.paint('bold', does));
    if (context.interactive) await context.ask('Press Enter when that is done. ');
  }
  return conclusions;
}

function waiting(until: number, { journal }: ConformanceArguments): string {
  const time = new Date(Math.ceil(until / MINUTE_MS) * MINUTE_MS).toTimeString().slice(0, 5);
  return `Ask again within a quarter of an hour after ${time}: the same command continues with ${journal}, and writes its files then.`;
}

/** Gives what the letter asks. */
function tellConclusions(
  { context, isJson }: ConformanceRun,
  conclusions: readonly Conclusion[],
): readonly LetterQuestion[] {
  const { data, paintData } = context.terminal;
  const letter = openQuestions(conclusions);
  for (const conclusion of conclusions) {
    data(
      isJson
        ? JSON.stringify(conclusion)
        : conclusionLine(conclusion, letterNumber(letter, conclusion), paintData),
    );
  }
  if (!isJson) data(`\n${conclusionsSummary(conclusions)}`);
  return letter;
}

async function report(
  run: ConformanceRun,
  { conclusions, profile, exchanges }: Pick<ConformanceResults, 'conclusions' | 'profile' | 'exchanges'>,
): Promise<number> {
  const { args, gateway, context } = run;
  const letter = tellConclusions(run, conclusions);
  const { host } = new URL(gateway.baseUrl);
  await writeResults({ files: args.files, gateway: host, conclusions, letter, profile, exchanges });
  const withoutValue = withoutValueSentence(conclusions, profile);
  if (args.files.out !== undefined && withoutValue !== undefined) context.terminal.say(withoutValue);
  if (!args.keepsJournal) {
    const kept = args.journal.replace(/\.jsonl$/, `-${profile.observedAt.replaceAll(/[^\dTZ]/g, '')}.jsonl`);
    await rename(args.journal, kept);
    context.terminal.say(`Every request is in ${kept}.`);
  }
  return args.known ? reportChanges(run, compareProfiles(args.known, profile, conclusions)) : EXIT.ended;
}

function reportChanges({ context, isJson }: ConformanceRun, comparison: ProfileComparison): number {
  const { data, paintData } = context.terminal;
  (isJson ? changeJson(comparison) : changeLines(comparison, paintData)).forEach(data);
  const isSame = comparison.changed.length === 0 && comparedOf(comparison) > 0;
  return isSame ? EXIT.ended : EXIT.stoppedOrChanged;
}
