import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';
import { type JournalRecord, type JournalStore, type PaymentsStorage } from 'nestjs-payments';
import { type History } from '../history.js';
import { CHUNK_LINES, type Crash, fileOf } from './batch-plan.js';

type BatchStore = NonNullable<PaymentsStorage['batches']>;

/** A process that dies where that is planned. */
export class Dying {
  private readonly job = new AsyncLocalStorage<BatchJob>();
  private readonly planned: ReadonlySet<string>;

  constructor(
    private readonly folder: string,
    private readonly history: History,
    isSpared: boolean,
  ) {
    this.planned = new Set(isSpared ? [] : readdirSync(folder));
  }

  /** An engine whose process may die between two jobs. */
  engine(inner: BatchEngine): BatchEngine {
    return {
      name: inner.name,
      start: (run) =>
        inner.start(async (job) => {
          await this.job.run(job, () => run(job));
          if (job.kind !== 'wake') this.reach({ kind: job.kind, point: 'between two jobs', at: job.chunk });
        }),
      add: (jobs, delayMs) => inner.add(jobs, delayMs),
      close: () => inner.close(),
    };
  }

  /** A storage that writes down what the journal is told, and around which the process may die. */
  storage(inner: PaymentsStorage): PaymentsStorage {
    const { batches, journal } = inner;
    if (!batches) throw new Error('This storage keeps no batches.');
    return { ...inner, batches: this.batches(batches), journal: this.journal(journal) };
  }

  private batches(inner: BatchStore): BatchStore {
    const change: BatchStore['change'] = async (load, changes) => {
      const [first] = changes;
      const job = this.job.getStore();
      if (!first || !job || job.kind === 'wake') return inner.change(load, changes);
      const at = Math.ceil(first.number / CHUNK_LINES);
      const isMark = first.to === 'sending';
      this.reach({
        kind: job.kind,
        point: isMark ? 'before the lines are marked' : 'before the results are written',
        at,
      });
      const changed = await inner.change(load, changes);
      this.reach({
        kind: job.kind,
        point: isMark ? 'after the lines were marked' : 'after the results were written',
        at,
      });
      return changed;
    };
    const counts: BatchStore['counts'] = (load) => {
      const job = this.job.getStore();
      if (job && job.kind !== 'wake')
        this.reach({ kind: job.kind, point: 'at the end of the chunk', at: job.chunk });
      return inner.counts(load);
    };
    return Object.assign(Object.create(inner) as BatchStore, { change, counts });
  }

  private journal(inner: JournalStore): JournalStore {
    const told = async <T>({ reference }: JournalRecord, work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        this.history.add({ what: 'journal away', reference });
        throw error;
      }
    };
    const insert: JournalStore['insert'] = async (record, leaseMs) => {
      const { reference } = record;
      this.history.add({ what: 'begun', reference });
      const insertion = await told(record, () => inner.insert(record, leaseMs));
      const { inserted, stored } = insertion;
      if (inserted)
        this.reach({ kind: 'pay', point: 'after the claim of the journal', at: numberOf(record) });
      else this.history.add({ what: 'known', reference, state: stored?.record.state ?? 'forgotten' });
      return insertion;
    };
    const replace: JournalStore['replace'] = async (version, record, leaseMs) => {
      const { reference, state } = record;
      const isAnswer = state !== 'in-flight';
      if (!isAnswer) this.history.add({ what: 'begun', reference });
      else this.reach({ kind: 'pay', point: 'after the answer of the gateway', at: numberOf(record) });
      const stored = await told(record, () => inner.replace(version, record, leaseMs));
      if (isAnswer && stored) this.history.add({ what: 'known', reference, state });
      return stored;
    };
    return Object.assign(Object.create(inner) as JournalStore, { insert, replace });
  }

  private reach(crash: Crash): void {
    const name = fileOf(crash);
    if (!this.planned.has(name)) return;
    try {
      unlinkSync(join(this.folder, name));
    } catch {
      return; // another replica has died of it
    }
    this.history.add({ what: 'killed', point: `${crash.kind}: ${crash.point}` });
    process.kill(process.pid, 'SIGKILL');
  }
}

/** The number of a line is the end of its reference. */
function numberOf({ reference }: JournalRecord): number {
  return Number(reference.slice(reference.lastIndexOf('-') + 1));
}
