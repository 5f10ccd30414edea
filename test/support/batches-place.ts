import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { openAnyPostgres } from './any-postgres.js';
import { type BatchKey, type BatchRecord, type BatchStore, type LineState } from './batch-contract.js';
import { type PaymentsDatabase } from './payments-database.js';
import { startSandbox } from './sandbox.js';

/** An emulator and a database of its own, for applications that pay batches. */
export interface BatchesPlace {
  readonly sandbox: PaymentsSandbox;
  readonly database: PaymentsDatabase;
  readonly storage: PaymentsStorage;
  readonly store: BatchStore;
  close(): Promise<void>;
}

export async function startBatchesPlace(): Promise<BatchesPlace> {
  const database = await openAnyPostgres();
  const sandbox = await startSandbox({ startingBalance: '100000000' });
  const storage = postgresStorage({ pool: database.pool, schema: database.schema });
  if (!storage.batches) throw new Error('PostgreSQL keeps batches.');
  return {
    sandbox,
    database,
    storage,
    store: storage.batches,
    close: () => database.close(),
  };
}

export function keyOf(batch: string): BatchKey {
  return { account: 'default', environment: 'sandbox', batch };
}

/** A storage of which some calls of batches do something else. */
export function withBatches(
  storage: PaymentsStorage,
  change: (store: BatchStore) => Partial<BatchStore>,
): PaymentsStorage {
  const { batches } = storage;
  if (!batches) throw new Error(`The storage "${storage.name}" keeps batches.`);
  return { ...storage, batches: Object.assign(Object.create(batches) as BatchStore, change(batches)) };
}

/** Leaves a batch as a process does that dies: the batch in a state, and lines in another one. */
export async function leaveBatch(
  store: BatchStore,
  batch: string,
  state: BatchRecord['state'],
  lines: { readonly numbers: readonly number[]; readonly state: LineState },
): Promise<void> {
  const stored = await store.get(keyOf(batch));
  if (!stored) throw new Error(`There is no batch ${batch}.`);
  const { record, version } = stored;
  await store.replace(version, { ...record, state }, { action: 'test', by: 'test', details: '{}' });
  const from: readonly LineState[] = ['checked', 'accepted', 'unknown', 'refused'];
  await store.change(
    record.load,
    lines.numbers.map((number) => ({ number, from, to: lines.state })),
  );
}
