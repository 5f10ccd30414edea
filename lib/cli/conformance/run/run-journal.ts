import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { isRecord, jsonObject } from '../../../common/json-object.js';
import { UsageError } from '../../usage-error.js';
import { type StepOperation } from '../questions/question.js';
import { type RecordedAnswer } from '../questions/step-answer.js';

/** What the journal knows about one request. */
export interface JournalledStep {
  readonly operation: StepOperation;
  /** What it could move, in cents. */
  readonly cents: number;
  /** `lost`: it was sent, or about to be, and no answer is known. `unsent`: surely nothing left this machine. */
  readonly outcome: RecordedAnswer | 'lost' | 'unsent';
}

export interface StepName {
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

  private constructor(
    private readonly descriptor: number,
    /** The id of the run. */
    readonly run: string,
    entries: readonly Readonly<Record<string, unknown>>[],
  ) {
    for (const entry of entries) this.take(entry);
  }

  /**
   * Opens a new file, or one of a run that is to be resumed.
   *
   * @param bond What a resumed run must have in common with the one that began: its plan, its inputs, its address and its keys.
   * @throws UsageError if it is no such journal, or that of another run.
   */
  static open(file: string, bond: string): RunJournal {
    const descriptor = openFile(file);
    try {
      fchmodSync(descriptor, 0o600);
      const [head, ...entries] = wholeLines(descriptor, file);
      if (head === undefined) return RunJournal.begin(descriptor, bond);
      const { version, run, bond: begun } = head;
      if (version !== VERSION || typeof run !== 'string') throw notAJournal();
      if (begun !== bond) {
        throw new UsageError(
          'The journal belongs to a run with other options, keys or another address: write those again, or name a new file.',
        );
      }
      return new RunJournal(descriptor, run, entries);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  private static begin(descriptor: number, bond: string): RunJournal {
    const run = randomUUID();
    append(descriptor, { version: VERSION, run, bond, at: new Date().toISOString() });
    return new RunJournal(descriptor, run, []);
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

  close(): void {
    closeSync(this.descriptor);
  }

  private write(entry: Readonly<Record<string, unknown>>): void {
    append(this.descriptor, { ...entry, at: new Date().toISOString() });
    this.take(entry);
  }

  private take({ ask, heard, step, operation, cents, outcome }: Readonly<Record<string, unknown>>): void {
    if (typeof step !== 'number') throw notAJournal();
    if (typeof ask === 'string' && typeof operation === 'string' && typeof cents === 'number') {
      const known = { operation: operation as StepOperation, cents, outcome: 'lost' } as const;
      this.steps.set(keyOf({ question: ask, step }), known);
      return;
    }
    const key = typeof heard === 'string' ? keyOf({ question: heard, step }) : '';
    const begun = this.steps.get(key);
    if (!begun || !isOutcome(outcome)) throw notAJournal();
    this.steps.set(key, { ...begun, outcome });
  }
}

function keyOf({ question, step }: StepName): string {
  return `${question} ${step}`;
}

function isOutcome(value: unknown): value is JournalledStep['outcome'] {
  if (value === 'lost' || value === 'unsent') return true;
  return isRecord(value) && typeof value['status'] === 'number' && Array.isArray(value['headers']);
}

function openFile(file: string): number {
  try {
    return openSync(file, 'a+', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The journal cannot be opened (${String(code)}): name a file in a folder that is yours.`,
    );
  }
}

/** The lines of the file. Cuts off what a crash left of the last one, so that the next line begins a line. */
function wholeLines(descriptor: number, file: string): readonly Readonly<Record<string, unknown>>[] {
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.subarray(0, whole).toString().split('\n').slice(0, -1);
  const entries = lines.map((line) => {
    const entry = jsonObject(line);
    if (!entry) throw notAJournal();
    return entry;
  });
  // A foreign file has no line, or one that is no JSON. A first line that was cut begins as ours does.
  if (whole === 0 && bytes.length > 0 && !bytes.toString().startsWith('{"version":1')) throw notAJournal();
  if (whole < fstatSync(descriptor).size) ftruncateSync(descriptor, whole);
  return entries;
}

function append(descriptor: number, entry: Readonly<Record<string, unknown>>): void {
  writeSync(descriptor, `${JSON.stringify(entry)}\n`);
  fsyncSync(descriptor);
}

function notAJournal(): UsageError {
  return new UsageError('The file is no journal of a run of this version: name a new file.');
}
