import {
  type BatchLine,
  type LineChange,
  type LineState,
  type StoredBatch,
} from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { type BatchPause, detailsOf } from '../batch/batch-details.js';
import { paymentReference } from '../batch/payment-reference.js';
import { countRow } from '../policy/row-rule.js';
import { type BatchContext } from '../batch/batch-context.js';
import { inParallel } from './in-parallel.js';
import {
  giveUpLine,
  isMarked,
  isUnchanged,
  isUnpaying,
  marking,
  newMark,
  takeOver,
  unpaidAs,
  withdrawn,
} from './line-mark.js';
import { payLine, type SentLine } from './pay-line.js';
import { blockPaidElsewhere } from './same-recipients.js';
import { windowPause } from './window-pause.js';

/** How many results are written together. After each write the worker looks whether somebody paused the batch. */
const WRITTEN_TOGETHER = 20;
/** People watch the progress, also if the gateway takes few lines a second. */
const WRITTEN_WITHIN_MS = 1_000;

/** Sends the lines of one chunk. */
export class PaySteps {
  /** The lines that this job marked and has not reached, by their numbers: it sent nothing of them. */
  private readonly unsent = new Map<number, BatchLine>();
  private readonly mark = newMark();
  private row = { unknown: 0, refused: 0 };
  private results: LineChange[] = [];
  private writtenAt: number;
  private stop: BatchPause | undefined;
  /** Somebody paused or cancelled the batch, or the application stops. */
  private isOver = false;
  /** Another run of the batch has begun, which sends what this job has marked. */
  private isTakenUp = false;

  constructor(
    private readonly account: BatchAccount,
    private readonly stored: StoredBatch,
    private readonly context: Pick<BatchContext, 'policy' | 'notifier' | 'concurrency' | 'stopping' | 'now'>,
  ) {
    this.writtenAt = context.now();
  }

  /** Returns why the batch has to pause, and whether somebody else ended its run. */
  async payChunk(
    chunk: number,
    lines: readonly BatchLine[],
  ): Promise<{ readonly stop: BatchPause | undefined; readonly isOver: boolean }> {
    try {
      const begun = await this.begin(chunk, lines);
      await inParallel(
        begun,
        this.context.concurrency,
        (line) => this.pay(line),
        () => this.goesOn(),
      );
    } finally {
      await this.write();
      await this.release();
    }
    return { stop: this.stop, isOver: this.isOver };
  }

  /** Marks the lines, and returns those that are to be sent: an earlier job may have begun some and died. */
  private async begin(chunk: number, lines: readonly BatchLine[]): Promise<readonly BatchLine[]> {
    const { store } = this.account;
    const { batch, load } = this.stored.record;
    const ready = lines.filter(({ state }) => state === 'checked');
    await store.change(
      load,
      ready.map((line) => marking(line, 'sending', this.mark)),
    );
    const now = ready.length > 0 ? await store.linesOf(load, chunk) : [];
    for (const line of now.filter((each) => isMarked(each, this.mark))) this.unsent.set(line.number, line);
    // A process that cancels the batch from now on sees the marks. A cancellation before them is seen here.
    await this.look();
    if (this.isOver) return [];
    const begun = lines
      .map((line) => this.unsent.get(line.number) ?? line)
      .filter(({ state }) => state === 'sending');
    const place = { batch, load };
    const withdraw = (some: readonly BatchLine[]): Promise<readonly BatchLine[]> => this.withdrawn(some);
    const blocked = new Set(await blockPaidElsewhere(store, place, begun, this.context.policy, withdraw));
    for (const number of blocked) this.unsent.delete(number);
    return begun.filter(({ number }) => !blocked.has(number));
  }

  private withdrawn(lines: readonly BatchLine[]): Promise<readonly BatchLine[]> {
    const isOwn = ({ number }: BatchLine): boolean => this.unsent.has(number);
    return withdrawn(this.account, this.stored.record, lines, this.context.concurrency, isOwn);
  }

  private async pay(line: BatchLine): Promise<void> {
    this.stop ??= windowPause(this.context);
    if (this.stop) return;
    const isOwn = this.unsent.delete(line.number);
    const { change, stop } = isOwn ? await this.send(line) : await this.sendBegun(line);
    if (change) this.results.push(change);
    this.stop ??= stop ?? (isOwn ? this.count(change?.to ?? 'sending') : undefined);
    const isDue = this.context.now() - this.writtenAt >= WRITTEN_WITHIN_MS;
    if (isDue || this.results.length >= WRITTEN_TOGETHER) await this.write();
  }

  /** Sends a line that this run has marked, or taken over. It ends unpaid only if no other run has taken it over since. */
  private async send(line: BatchLine): Promise<SentLine> {
    const { services, store } = this.account;
    const { batch, load } = this.stored.record;
    const { change, stop } = await payLine(services, batch, line, () => isUnchanged(store, load, line));
    return change && isUnpaying(change)
      ? { change: { ...change, at: line.updatedAt }, stop }
      : { change, stop };
  }

  /** Another run has begun the line: it may have died, or stand still and continue. */
  private async sendBegun(line: BatchLine): Promise<SentLine> {
    const { services, store } = this.account;
    const { batch, load } = this.stored.record;
    // Its run still owns the line, and is the one to say that nothing was sent.
    if (await services.journal.isHeld('disbursement', paymentReference(batch, line.key))) return {};
    const owned = await takeOver(store, load, line);
    if (!owned) return {};
    const sent = await this.send(owned);
    if (!sent.change || !isUnpaying(sent.change)) return sent;
    // The next attempt is not this run's to give up if another one has taken the line over since.
    const isOwn = await isUnchanged(store, load, owned);
    return isOwn && (await giveUpLine(services.journal, batch, owned)) ? sent : { stop: sent.stop };
  }

  /** Lines that an earlier job began are not counted: the death of its process says nothing about the gateway. */
  private count(state: LineState): BatchPause | undefined {
    const { row, stop } = countRow(this.row, state, this.context.policy);
    this.row = row;
    return stop === undefined ? undefined : { reason: stop };
  }

  private goesOn(): boolean {
    return this.stop === undefined && !this.isOver && !this.context.stopping.aborted;
  }

  private async write(): Promise<void> {
    const { store } = this.account;
    const { record } = this.stored;
    const results = this.results;
    this.results = [];
    this.writtenAt = this.context.now();
    if (results.length > 0) await store.change(record.load, results);
    this.context.notifier.changed(record);
    await this.look();
  }

  private async look(): Promise<void> {
    const { record } = this.stored;
    const now = (await this.account.store.get(record))?.record;
    const isSame = now?.load === record.load && detailsOf(now).round === detailsOf(record).round;
    this.isOver = !isSame || now.state !== 'running';
    this.isTakenUp = !isSame;
  }

  /** What an earlier job has begun stays as it is, and so does what another run of this one has sent. */
  private async release(): Promise<void> {
    if (this.isTakenUp) return;
    const unpaid = await this.withdrawn([...this.unsent.values()]);
    const changes = unpaid.map((line) => unpaidAs(line, 'checked'));
    await this.account.store.change(this.stored.record.load, changes);
  }
}
