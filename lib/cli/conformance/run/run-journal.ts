import { randomUUID } from 'node:crypto';
import { closeSync, fchmodSync, truncateSync } from 'node:fs';
import { isRecord } from '../../../common/json-object.js';
import { isPaymentsError } from '../../../errors/payments-errors.js';
import { type FolderLock, lockWith } from '../../../sandbox/state/folder-lock.js';
import { UsageError } from '../../usage-error.js';
import { type StepOperation } from '../questions/question.js';
import { type RecordedAnswer } from '../questions/step-answer.js';
import { appendLine, cannotOpen, notAJournal, openFile, realPathOf, wholeLines } from './journal-file.js';

/** What the journal knows about one request. */
export interface JournalledStep {
  readonly operation: StepOperation;
  /** What it could move, in cents. */
  readonly cents: number;
  /** `lost`: it was sent, or about to be, and no answer is known. `unsent`: surely nothing left this machine. */
  readonly outcome: RecordedAnswer | 'lost' | 'unsent';
  /** How often it was sent, or may have been. */
  readonly sent: number;
  /** When the outcome was known, in milliseconds since 1970. */
  readonly heardAt?: number;
}

interface StepName {
  readonly question: string;
  readonly step: number;
}

const VERSION = 1;

/**
 * The file that a run writes down what it asks in, one line each, so that it can be resumed. A line about a request is on the disk
 * before the request is sent. It has no keys, names, phone numbers or account numbers.
 */
export class RunJournal {
  private readonly steps = new Map<string, JournalledStep>();
  /** Whether the run of the file had ended before it was opened. Then nothing is asked any more. */
  readonly wasFinished: boolean;
  private isFinished = false;

  private constructor(
    private readonly descriptor: number,
    private readonly lock: FolderLock,
    /** The id of the run. */
    readonly run: string,
    private readonly now: () => number,
    entries: readonly Readonly<Record<string, unknown>>[],
  ) {
    for (const entry of entries) this.take(entry);
    this.wasFinished = this.isFinished;
  }

  /**
   * Opens a new file, or one of a run that is to be resumed. Nobody else can open it before it is closed.
   *
   * @param bond What a resumed run must have in common with the one that began: its plan, its inputs, its address and its keys.
   * @param now The time, in milliseconds since 1970.
   * @throws UsageError if it is no such journal, that of another run, or one that another process uses.
   */
  static async open(file: string, bond: string, now = Date.now): Promise<RunJournal> {
    // A file has one lock, whatever links lead to it.
    const path = realPathOf(file);
    const lock = await takeJournal(path, file);
    let descriptor: number | undefined;
    try {
      descriptor = openFile(path);
      const [head, ...entries] = wholeLines(descriptor, path);
      const begun = head && headOf(head);
      const isOwn = begun?.bond === bond;
      if (begun && !isOwn && mayHaveSent(entries)) throw ofAnotherRun(file);
      fchmodSync(descriptor, 0o600);
      const run = isOwn ? begun.run : begin(descriptor, path, bond, now());
      return new RunJournal(descriptor, lock, run, now, isOwn ? entries : []);
    } catch (error) {
      if (descriptor !== undefined) closeSync(descriptor);
      lock.release();
      throw error;
    }
  }

  /** What is known about a request; undefined if it was not asked. */
  find(name: StepName): JournalledStep | undefined {
    return this.steps.get(keyOf(name));
  }

  /** Everything that was asked. */
  all(): readonly JournalledStep[] {
    return [...this.steps.values()];
  }

  /** Writes down that a request is about to be sent. */
  begin(name: StepName, operation: StepOperation, cents: number): void {
    this.write({ ask: name.question, step: name.step, operation, cents });
  }

  /** Writes down what came of it. */
  end(name: StepName, outcome: RecordedAnswer | 'lost' | 'unsent'): void {
    this.write({ heard: name.question, step: name.step, outcome });
  }

  /** Writes down that the run has ended, so that this file is not taken for one that is still asked. */
  finish(): void {
    if (!this.isFinished) this.write({ finished: true });
  }

  close(): void {
    closeSync(this.descriptor);
    this.lock.release();
  }

  private write(entry: Readonly<Record<string, unknown>>): void {
    this.lock.assertHeld();
    const line = { ...entry, at: new Date(this.now()).toISOString() };
    appendLine(this.descriptor, line);
    this.take(line);
  }

  private take(entry: Readonly<Record<string, unknown>>): void {
    const { ask, heard, step, operation, cents, outcome } = entry;
    if (entry['finished'] === true) {
      this.isFinished = true;
      return;
    }
    if (!isCount(step)) throw notAJournal();
    if (typeof ask === 'string' && typeof operation === 'string' && isCount(cents)) {
      const asked = keyOf({ question: ask, step });
      const sent = (this.steps.get(asked)?.sent ?? 0) + 1;
      this.steps.set(asked, { operation: operation as StepOperation, cents, outcome: 'lost', sent });
      return;
    }
    const key = typeof heard === 'string' ? keyOf({ question: heard, step }) : '';
    const begun = this.steps.get(key);
    if (!begun || !isOutcome(outcome)) throw notAJournal();
    const heardAt = Date.parse(String(entry['at']));
    if (Number.isNaN(heardAt)) throw notAJournal();
    const sent = begun.sent - (outcome === 'unsent' ? 1 : 0);
    this.steps.set(key, { ...begun, outcome, sent, heardAt });
  }
}

/** Where nothing was sent, as to an address with a mistake, nothing is lost. */
function mayHaveSent(entries: readonly Readonly<Record<string, unknown>>[]): boolean {
  const asked = entries.filter(({ ask }) => ask !== undefined);
  const unsent = entries.filter(({ outcome }) => outcome === 'unsent');
  return asked.length > unsent.length;
}

function keyOf({ question, step }: StepName): string {
  return `${question} ${step}`;
}

function headOf({ version, run, bond }: Readonly<Record<string, unknown>>) {
  if (version !== VERSION || typeof run !== 'string') throw notAJournal();
  return { run, bond };
}

/** Gives the id of the new run. */
function begin(descriptor: number, path: string, bond: string, now: number): string {
  const run = randomUUID();
  // By its path: Windows cuts no file through a descriptor that appends.
  truncateSync(path, 0);
  appendLine(descriptor, { version: VERSION, run, bond, at: new Date(now).toISOString() });
  return run;
}

function ofAnotherRun(file: string): UsageError {
  return new UsageError(
    `The journal ${file} belongs to a run with other options, keys or another address: write those again, or name a new file with --journal.`,
  );
}

async function takeJournal(path: string, file: string): Promise<FolderLock> {
  try {
    return await lockWith(`${path}.lock`, `the journal ${file}`, { holder: 'run', other: '--journal' });
  } catch (error) {
    if (isPaymentsError(error)) throw new UsageError(error.message);
    throw cannotOpen(String((error as NodeJS.ErrnoException).code));
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isOutcome(value: unknown): value is JournalledStep['outcome'] {
  if (value === 'lost' || value === 'unsent') return true;
  if (!isRecord(value)) return false;
  const { status, headers, body } = value;
  const areHeaders = Array.isArray(headers) && headers.every((name) => typeof name === 'string');
  return isCount(status) && areHeaders && (body === undefined || isRecord(body));
}
