import { Injectable } from '@nestjs/common';
import { checkActor, checkFields } from '../batches/batch/batch-actor.js';
import { quoted } from '../common/quoted.js';
import { DEFAULT_ACCOUNT } from '../common/vocabulary.js';
import { PaymentsError } from '../errors/payments-errors.js';
import { type ReconciledAccount, type ReconciledAccounts } from './reconciled-accounts.js';
import { readBalance } from './balance/readings.js';
import { closeDay } from './close/close-day.js';
import { closedDayOf, lastStoredClose } from './close/close-entry.js';
import { ClosedDays } from './close/closed-days.js';
import { storageTime } from './close/close-run.js';
import { type BalanceReading } from './close/close-summary.js';
import { dayProblem, timeZoneProblem } from './close/day.js';
import {
  type CloseOptions,
  type ReconciliationActor,
  type ReconciliationOfAccount,
} from './close-options.js';
import { type DayClose } from './day-close.js';
import { applyProposals, type ApplyReport } from './exceptions/apply.js';
import {
  type CloseException,
  type CloseProposal,
  type ExceptionKind,
  type ExceptionState,
} from './exceptions/close-exception.js';
import { detailsOf, endedOn, exceptionOf } from './exceptions/exception-entry.js';
import { isOfClose } from './exceptions/known-closes.js';
import { contradictedAttempts, dayCloseOf, entriesOf, lastClose, nextOpenDay } from './kept-closes.js';
import { purgeEntries, purgeProblem } from './purge-entries.js';
import { check, flagProblem, noteProblem, statementProblem } from './reconciliation-checks.js';
import { type ResolvedReconciliationPolicy } from './reconciliation-policy.js';
import { discardStatement } from './statement/discard-statement.js';

/**
 * How far closing is.
 *
 * @publicApi
 */
export interface ReconciliationStatus {
  /** The day that was closed last, `YYYY-MM-DD`. */
  readonly lastDay: string;
  /** Milliseconds since that day ended. */
  readonly ageMs: number;
  /** How many exceptions are open now, by kind; kinds without one are absent. */
  readonly open: Readonly<Partial<Record<ExceptionKind, number>>>;
}

/** What the service works with. */
export interface ReconciliationContext {
  readonly accounts: ReconciledAccounts;
  readonly policy: ResolvedReconciliationPolicy;
}

/**
 * Closes days: compares the journal with the wallet's balance and the gateway's statement, and keeps what differs until somebody
 * has explained or settled it.
 *
 * @hideconstructor
 * @publicApi
 *
 * @example
 * ```ts
 * const statement = csvStatement({ stream: createReadStream('2026-11-20.csv') });
 * const close = await reconciliation.close({ day: '2026-11-20', statement, by: user.id });
 * for (const { kind, reason } of close.exceptions) console.log(kind, reason);
 * // What has failed is for somebody to look at first: the payment may be made again after it.
 * const paid = close.proposals.filter(({ outcome }) => outcome === 'paid');
 * const { refused } = await reconciliation.apply(paid, { by: user.id });
 * for (const { proposal, reason } of refused) console.warn(proposal.reference, reason);
 * ```
 */
@Injectable()
export class Reconciliation {
  /** A closure, because it leads to the keys of every account. */
  private readonly context: () => ReconciliationContext;

  /** @internal */
  constructor(context: ReconciliationContext) {
    this.context = () => context;
  }

  /**
   * Reads the wallet's balance and keeps it. Call it right after the end of each day: a close compares with the first balance
   * that was read after the end of its day, and reads it itself if there is none.
   *
   * @throws PaymentsError as `WalletService.balance` does.
   * @throws PaymentsStorageError
   */
  async readBalance(options: ReconciliationOfAccount = {}): Promise<BalanceReading> {
    const opened = await this.opened(options);
    const { store, scope, services } = opened;
    return readBalance(opened, services.wallet, await storageTime(store, scope));
  }

  /**
   * Closes a day. A day that was closed before is not closed again: the result is the same as then, with what became of its
   * exceptions since. If a process dies, close the day again.
   *
   * @throws PaymentsValidationError if an option or the statement is wrong, or an option is unknown; nothing was closed.
   * @throws PaymentsError with the code `DAY_NOT_OVER`, `DAY_NOT_NEXT`, `DAY_OTHER_ZONE`, `DAY_CLOSED` (with another statement), or
   * `CLOSE_RUNNING` (on another process); or as `WalletService.balance` does if no balance was read after the day.
   * @throws PaymentsAccountError if the keys of the account cannot be had.
   * @throws PaymentsStorageError
   */
  async close(options: CloseOptions): Promise<DayClose> {
    try {
      return await this.closeDay(options);
    } finally {
      // It may have been refused before a row was read.
      await discardStatement((options as Partial<CloseOptions> | undefined)?.statement);
    }
  }

  private async closeDay(options: CloseOptions): Promise<DayClose> {
    const { accounts, policy } = this.context();
    const by = checkActor(options, ['account', 'day', 'timeZone', 'statement', 'allowNoMatch']);
    const { day, timeZone = policy.timeZone, statement, allowNoMatch = false } = options;
    check({
      day: dayProblem(day),
      timeZone: timeZoneProblem(timeZone),
      statement: statementProblem(statement),
      allowNoMatch: flagProblem('allowNoMatch', allowNoMatch),
    });
    const account = await accounts.open(options.account ?? DEFAULT_ACCOUNT);
    const closed = await closeDay(account, { day, timeZone, by, statement, allowNoMatch }, policy);
    return dayCloseOf(account, closed);
  }

  /**
   * A day that was closed before.
   *
   * @throws PaymentsError with the code `DAY_NOT_CLOSED`.
   * @throws PaymentsValidationError if `day` is no day.
   * @throws PaymentsStorageError
   */
  async open(day: string, options: ReconciliationOfAccount = {}): Promise<DayClose> {
    check({ day: dayProblem(day) });
    const opened = await this.opened(options);
    const stored = await opened.store.get(opened.scope, 'close', day);
    if (stored) return dayCloseOf(opened, closedDayOf(stored));
    throw new PaymentsError('DAY_NOT_CLOSED', `${day} was not closed: close it with close({ day, by }).`);
  }

  /**
   * How far closing is, for alarms. It reads every open exception.
   *
   * @returns Undefined if no day was closed.
   * @throws PaymentsStorageError
   */
  async status(options: ReconciliationOfAccount = {}): Promise<ReconciliationStatus | undefined> {
    const opened = await this.opened(options);
    const last = await lastStoredClose(opened);
    if (!last) return undefined;
    const { day, to } = closedDayOf(last).summary;
    const open: Partial<Record<ExceptionKind, number>> = {};
    for await (const stored of entriesOf(opened, new ClosedDays(opened), ['open'])) {
      const { kind } = detailsOf(stored);
      open[kind] = (open[kind] ?? 0) + 1;
    }
    return { lastDay: day, ageMs: Math.max(0, last.now - to.getTime()), open };
  }

  /**
   * The exceptions of all closes, day by day.
   *
   * @param options `state`: only these. @default all
   * @throws PaymentsStorageError
   */
  async *exceptions(
    options: ReconciliationOfAccount & { readonly state?: ExceptionState } = {},
  ): AsyncIterable<CloseException> {
    const opened = await this.opened(options, ['state']);
    const { state } = options;
    const cutOff = (await lastClose(opened))?.summary.to.getTime() ?? 0;
    const states = state === undefined ? undefined : [state];
    for await (const stored of entriesOf(opened, new ClosedDays(opened), states)) {
      yield exceptionOf(stored, cutOff);
    }
  }

  /**
   * Settles payments by what a statement proves, in the journal and in their batches, and keeps the row as evidence. Callers that
   * wait in `PaymentsJournal.waitForOutcome()` get the outcome. A proposal of another attempt than the last one, one of which
   * another row says the contrary, and one whose exception somebody has explained is refused. Reads all exceptions that are open
   * or explained once: give it many proposals in one call.
   *
   * @param proposals Those of closes of this account, or some of them. It may be called again.
   * @throws PaymentsValidationError if something is no proposal of a close of this account; nothing was applied.
   * @throws PaymentsError with the code `LINE_NOT_COMPARED` if the line of a batch cannot be compared with its payment now.
   * @throws PaymentsAccountError if the keys of the account cannot be had, or are of another environment meanwhile. Call it again.
   * @throws PaymentsStorageError
   */
  async apply(proposals: readonly CloseProposal[], actor: ReconciliationActor): Promise<ApplyReport> {
    const by = checkActor(actor, ['account']);
    const account = await this.context().accounts.open(actor.account ?? DEFAULT_ACCOUNT);
    const closes = new ClosedDays(account);
    const applying = {
      by,
      at: await storageTime(account.store, account.scope),
      until: await nextOpenDay(account),
      closes,
      contradicted: await contradictedAttempts(account, closes),
    };
    return applyProposals(account, proposals, applying);
  }

  /**
   * Writes down why an exception is as it is: closes to come do not show it any more, and it proposes nothing any more. If what
   * it proposes is right, apply that first.
   *
   * @param note 1 to 2,000 characters.
   * @throws PaymentsError with the code `EXCEPTION_NOT_FOUND`, `EXCEPTION_SETTLED` if it has ended, or `EXCEPTION_CHANGED` if
   * somebody else changed it at the same moment.
   * @throws PaymentsValidationError if nobody is named, or the note is wrong.
   * @throws PaymentsStorageError
   */
  async explain(
    id: string,
    { note, ...actor }: ReconciliationActor & { readonly note: string },
  ): Promise<CloseException> {
    const by = checkActor(actor, ['account']);
    check({ note: noteProblem(note) });
    const account = await this.context().accounts.open(actor.account ?? DEFAULT_ACCOUNT);
    const until = await nextOpenDay(account);
    const stored = await account.store.get(account.scope, 'exception', typeof id === 'string' ? id : '');
    if (!stored || !(await isOfClose(stored, new ClosedDays(account)))) {
      throw new PaymentsError(
        'EXCEPTION_NOT_FOUND',
        `There is no exception ${quoted(id)} of this account: take the id from exceptions().`,
      );
    }
    if (stored.entry.state === 'settled') {
      throw new PaymentsError(
        'EXCEPTION_SETTLED',
        `The exception ${quoted(id)} has ended: nothing is left to explain.`,
      );
    }
    const details = { ...endedOn(detailsOf(stored), until), note: { by, text: note, at: stored.now } };
    const entry = { ...stored.entry, state: 'explained', details: JSON.stringify(details) };
    const changed = await account.store.replace(stored.version, entry);
    if (changed) return exceptionOf(changed, (await lastClose(account))?.summary.to.getTime() ?? 0);
    throw new PaymentsError(
      'EXCEPTION_CHANGED',
      `Somebody else changed the exception ${quoted(id)} at the same moment: look at it again.`,
    );
  }

  /**
   * Forgets what is older and not needed any more: readings of the balance, what closes handed on and proposed, exceptions that
   * were settled, and evidence. The figures of closed days, and exceptions that are open or explained, stay. Call it every day.
   *
   * @returns How many entries were forgotten.
   * @throws PaymentsValidationError if the age is not a whole number of milliseconds, or is below 30 days: closes to come begin
   * with what the last ones left.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * await reconciliation.purge({ olderThanMs: 400 * 86_400_000 });
   * ```
   */
  async purge(options: ReconciliationOfAccount & { readonly olderThanMs: number }): Promise<number> {
    const { olderThanMs } = options;
    check({ olderThanMs: purgeProblem(olderThanMs) });
    return purgeEntries(await this.opened(options, ['olderThanMs']), olderThanMs);
  }

  /** @param others The options of the call beside the account. */
  private async opened(
    options: ReconciliationOfAccount,
    others: readonly string[] = [],
  ): Promise<ReconciledAccount> {
    checkFields(options, ['account', ...others]);
    return this.context().accounts.open(options.account ?? DEFAULT_ACCOUNT);
  }
}
