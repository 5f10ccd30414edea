import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { type StateKey } from '../core/state-key.js';
import { FolderLockGoneError } from './folder-lock.js';
import { stoppingProblem } from './stopping-problem.js';
import { type StateEntry } from './state-entry.js';
import { type StateFolder } from './state-folder.js';
import { type StateParts } from './state-parts.js';

/** The emulator whose changes are written. */
export interface Recorded {
  readonly events: EventBus<SandboxEvents>;
  readonly state: StateParts;
  /** Ends what happens by itself: outcomes, expiry and deliveries. */
  readonly halt: (reason: Error) => void;
}

/** Two small parts that change without an event. */
const ALWAYS: readonly StateKey[] = [['clock'], ['counters']];

/**
 * Writes every change into the folder: before the answer of the call that made it, and at the latest at the end of
 * the current task. What changed in one task is one line of the file.
 */
export class StateRecorder {
  private readonly changed = new Map<string, StateKey>();
  private readonly written = new Map<StateKey, string>();
  private readonly unsubscribe: readonly (() => void)[];
  private published: ((written: boolean) => void)[] = [];
  private everything = false;
  private asked = false;
  private closed = false;
  private problem: Error | undefined;
  /** Whether a write failed: what it had to write is in memory alone. */
  private writeFailed = false;
  private reportFailure: (error: Error) => void = () => {};

  /** Resolves when a change cannot be written, or the folder is lost. */
  readonly failed = new Promise<Error>((resolve) => (this.reportFailure = resolve));

  constructor(
    private readonly emulator: Recorded,
    private readonly folder: StateFolder,
  ) {
    const { events } = emulator;
    void folder.lost.then((error) => {
      this.fail(error);
    });
    this.unsubscribe = [
      events.on('payment', ({ merchant, request: { reference } }) => {
        this.note(['payment', merchant, reference]);
      }),
      events.on('payout', ({ merchant, request: { reference } }) => {
        this.note(['payout', merchant, reference]);
      }),
      events.on('due', ({ id, event }) => {
        this.note(['delivery', id]);
        this.note(['ids', event.merchant]);
      }),
      events.on('delivery', ({ id }) => {
        this.note(['delivery', id]);
      }),
      events.on('balance', ({ name }) => {
        this.note(['merchant', name]);
      }),
      events.on('exchange', ({ request }) => {
        this.note(['request', request.id]);
      }),
      events.on('clock', () => {
        this.ask();
      }),
      events.on('changed', (change) => {
        if (change === 'everything') this.noteEverything();
        else this.note(change);
      }),
    ];
  }

  /** Why a change could not be written: nothing is written from then on. */
  get failure(): Error | undefined {
    return this.problem;
  }

  /** Calls a task once everything that has changed by now is written: with false if it cannot be written. */
  whenWritten(task: (written: boolean) => void): void {
    this.published.push(task);
    this.ask();
  }

  /** Writes what changed since the last commit. Sets `failure` if it cannot. */
  commit(): void {
    const tasks = this.published;
    this.published = [];
    const written = this.tryWriting();
    for (const task of tasks) task(written);
  }

  private tryWriting(): boolean {
    if (this.closed || this.problem) return false;
    try {
      this.write();
      return true;
    } catch (error) {
      this.writeFailed = true;
      this.fail(error);
      return false;
    }
  }

  /** What happens from now on is lost, so nothing may happen by itself. */
  private fail(error: unknown): void {
    if (this.closed || this.problem) return;
    this.problem = stoppingProblem(error);
    this.emulator.halt(this.problem);
    this.reportFailure(this.problem);
  }

  private write(): void {
    if (this.everything || this.folder.isLong) this.folder.rewrite(this.emulator.state.all());
    else {
      const entries = [...this.changedParts(), ...this.alwaysWritten()];
      if (entries.length > 0) this.folder.append(entries);
    }
    this.everything = false;
    this.changed.clear();
  }

  /**
   * Writes the rest and gives the folder back. Later changes stay in memory.
   *
   * @throws PaymentsConfigError if a change could not be written, now or before, or another process has the folder.
   */
  close(): void {
    if (this.closed) return;
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    this.commit();
    this.closed = true;
    this.folder.close();
    if (this.problem && !this.isOnlyRemoved) throw this.problem;
  }

  /** An application may remove the folder before it stops the emulator: nothing is lost that it wanted to keep. */
  private get isOnlyRemoved(): boolean {
    const isWritten = !this.writeFailed && !this.everything && this.changed.size === 0;
    return isWritten && this.problem instanceof FolderLockGoneError;
  }

  /** Asks for the whole state to be written again. */
  noteEverything(): void {
    this.everything = true;
    this.ask();
  }

  /** Asks for a part to be written. */
  note(key: StateKey): void {
    this.changed.set(JSON.stringify(key), key);
    this.ask();
  }

  private ask(): void {
    if (this.asked) return;
    this.asked = true;
    queueMicrotask(() => {
      this.asked = false;
      this.commit();
    });
  }

  private changedParts(): readonly StateEntry[] {
    return [...this.changed.values()].map((key) => [key, this.emulator.state.read(key)]);
  }

  private alwaysWritten(): readonly StateEntry[] {
    return ALWAYS.flatMap((key) => {
      const value = this.emulator.state.read(key);
      const text = JSON.stringify(value);
      if (this.written.get(key) === text) return [];
      this.written.set(key, text);
      return [[key, value] as const];
    });
  }
}
