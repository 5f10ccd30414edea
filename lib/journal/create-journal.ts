import { type ApplicationEvents } from '../common/application-events.js';
import { quoted } from '../common/quoted.js';
import { type JournalEntry } from '../common/journal-entry.js';
import { type ConflictStore } from '../storage/conflict-store.js';
import { type Resealing } from '../storage/sealed/reseal.js';
import { type JournalStore } from '../storage/journal-store.js';
import { SafeLogger } from '../common/safe-logger.js';
import { stopController } from '../common/timing.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { type GatewayClient } from '../gateway/gateway-client.js';
import { EntryRecovery } from './recovery/recover-entry.js';
import { PersonEraser } from './outcomes/erase-person.js';
import { OutcomeRecorder } from './outcomes/outcome-recorder.js';
import { OutcomeWaiter } from './outcomes/outcome-waiter.js';
import { type Payments } from './payment/payments.js';
import { PaymentsJournal } from './payments-journal.js';
import { runLimitMs } from './recovery/recovery-decision.js';
import { RecoveryRun } from './recovery/recover.js';
import { RecoveryTurns } from './recovery/recovery-turns.js';
import { StatusResolver } from './outcomes/status-resolver.js';
import { WebhookOutcomes } from './outcomes/webhook-outcomes.js';

/** The journal of an account, and the sources of outcomes. */
export interface AccountJournal {
  readonly journal: PaymentsJournal;
  readonly outcomes: WebhookOutcomes;
  /** For a run over all accounts. */
  readonly turns: RecoveryTurns;
  /** `recover()` begins no further payment after this, and nobody waits for an outcome any more. */
  stop(): void;
  /** Resolves when `recover()` has finished with its payments. */
  idle(): Promise<void>;
}

/** What the journal of an account works with. */
interface JournalParts {
  readonly options: ResolvedPaymentsOptions;
  readonly store: JournalStore;
  readonly gateway: Pick<GatewayClient, 'read'>;
  readonly payments: Pick<Payments, 'probe' | 'sendPlanned'>;
  readonly events: Pick<ApplicationEvents, 'emit'>;
  readonly conflicts: ConflictStore;
  /** Undefined without an encryption. */
  readonly resealing?: Resealing | undefined;
}

/** Creates the parts for one account. None of them keeps all options, which contain the keys. */
export function createAccountJournal({
  options,
  store,
  gateway,
  payments,
  events,
  conflicts,
  resealing,
}: JournalParts): AccountJournal {
  const { account, environment, baseUrl, probe, recoveryWindowMs, deadlineMs, staleAfterMs, statusPaths } =
    options;
  const scope = { account, environment };
  const recorder = new OutcomeRecorder(store);
  const status = new StatusResolver(statusPaths, gateway, store, recorder.notifier);
  const rules = { baseUrl, probe, recoveryWindowMs, deadlineMs, staleAfterMs };
  const stopping = stopController();
  const announce = (entry: JournalEntry): void => {
    announceStale(entry, events);
  };
  const entries = new EntryRecovery(rules, store, payments, status, announce, stopping.signal);
  const run = new RecoveryRun(scope, runLimitMs(recoveryWindowMs), store, status, entries, stopping.signal);
  const turns = new RecoveryTurns(scope, store, status, entries, stopping.signal);
  const eraser = new PersonEraser(scope, store, conflicts);
  const waiter = new OutcomeWaiter(store, recorder.notifier, status, stopping.signal);
  return {
    journal: new PaymentsJournal(scope, store, recorder, run, waiter, eraser, resealing),
    outcomes: new WebhookOutcomes(scope, store, recorder.notifier),
    turns,
    stop: () => {
      stopping.abort();
    },
    idle: async () => {
      await Promise.all([run.idle(), turns.idle()]);
    },
  };
}

function announceStale(entry: JournalEntry, events: Pick<ApplicationEvents, 'emit'>): void {
  const { operation, reference, state, createdAt } = entry;
  new SafeLogger('PaymentsJournal').warn(
    `Nothing was heard of ${operation} for the reference ${quoted(reference)}, ${state} since ${createdAt.toISOString()}: ` +
      'look it up with the gateway, then write down how it ended with PaymentsJournal.settle().',
  );
  events.emit('payment.stale', entry);
}
