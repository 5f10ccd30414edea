import {
  type BatchLine,
  type LineChange,
  type LineState,
  type StoredBatch,
} from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { type BatchPause, detailsOf } from '../batch/batch-details.js';
import { countRow } from '../policy/row-rule.js';
import { type BatchContext } from '../batch/batch-context.js';
import { inParallel } from './in-parallel.js';
import { payLine } from './pay-line.js';
import { blockPaidElsewhere } from './same-recipients.js';
import { unmovedLines } from './unsent-lines.js';
import { windowPause } from './window-pause.js';

/** How many results are written together. After each write the worker looks whether somebody paused the batch. */
const WRITTEN_TOGETHER = 20;
/** People watch the progress, also if the gateway takes few lines a second. */
const WRITTEN_WITHIN_MS = 1_000;

/** Sends the lines of one chunk. */
export class PaySteps {
  /** The lines that this job marked and has not reached, by their numbers: it sent nothing of them. */
  private readonly unsent = new Map<number, BatchLine>();
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
    const changes = ready.map(({ number }): LineChange => ({ number, from: ['checked'], to: 'sending' }));
    const taken = new Set(await store.change(load, changes));
    for (const line of ready) if (taken.has(line.number)) this.unsent.set(line.number, line);
    // A process that cancels the batch from now on sees the marks. A cancellation before them is seen here.
    await this.look();
    if (this.isOver) return [];
    const begun = lines.filter(({ state }) => state === 'sending');
    const place = { batch, load, chunk };
    const marked = [...this.unsent.values(), ...begun];
    const unmoved = (some: readonly BatchLine[]): Promise<ReadonlySet<number>> => this.unmoved(some);
    const blocked = new Set(await blockPaidElsewhere(store, place, marked, this.context.policy, unmoved));
    for (const number of blocked) this.unsent.delete(number);
    return lines.filter(
      ({ number, state }) => !blocked.has(number) && (state === 'sending' || this.unsent.has(number)),
    );
  }

  private unmoved(lines: readonly BatchLine[]): Promise<ReadonlySet<number>> {
    const { journal } = this.account.services;
    return unmovedLines(journal, this.stored.record.batch, lines, this.context.concurrency);
  }

  private async pay(line: BatchLine): Promise<void> {
    this.stop ??= windowPause(this.context);
    if (this.stop) return;
    const isOwn = this.unsent.delete(line.number);
    const isSending = (): Promise<boolean> => this.isSending(line);
    // Another job may have begun the line: it may have ended since this one read it.
    if (!isOwn && !(await isSending())) return;
    const { change, stop } = await payLine(this.account.services, this.stored.record.batch, line, isSending);
    if (change) this.results.push(change);
    this.stop ??= stop ?? (isOwn ? this.count(change?.to ?? 'sending') : undefined);
    const isDue = this.context.now() - this.writtenAt >= WRITTEN_WITHIN_MS;
    if (isDue || this.results.length >= WRITTEN_TOGETHER) await this.write();
  }

  private async isSending({ key }: BatchLine): Promise<boolean> {
    const now = await this.account.store.line(this.stored.record.load, key);
    return now?.state === 'sending';
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
    const unmoved = await this.unmoved([...this.unsent.values()]);
    const changes = [...unmoved].map((number): LineChange => ({ number, from: ['sending'], to: 'checked' }));
    await this.account.store.change(this.stored.record.load, changes);
  }
}
