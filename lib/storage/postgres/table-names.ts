/** Quoted names, with schema, of everything that the package creates. */
export interface TableNames {
  readonly schema: string;
  /** The schema as a person reads it: the application's own spelling, in quotes. */
  readonly shownSchema: string;
  readonly inbox: string;
  readonly setAside: string;
  readonly journal: string;
  readonly tombstones: string;
  /** What was counted towards the daily caps. */
  readonly dailyCounts: string;
  readonly batches: string;
  /** The audit trails of batches. */
  readonly batchEvents: string;
  readonly batchLines: string;
  readonly batchChunks: string;
  /** How many lines of a batch are in each state. */
  readonly batchCounts: string;
  /** Balances, closes and exceptions. */
  readonly reconciliation: string;
  readonly migrations: string;
  /** Sequence of the fences of claims: a later claim has a higher one. */
  readonly fences: string;
  /** Sequence of the versions of journal records: no version repeats. */
  readonly versions: string;
}

export function tableNames(schema: string): TableNames {
  const quoted = `"${schema.replaceAll('"', '""')}"`;
  const name = (rest: string): string => `${quoted}.payments_${rest}`;
  return {
    schema: quoted,
    shownSchema: JSON.stringify(schema),
    inbox: name('inbox'),
    setAside: name('set_aside'),
    journal: name('journal'),
    tombstones: name('tombstones'),
    dailyCounts: name('daily_counts'),
    batches: name('batches'),
    batchEvents: name('batch_events'),
    batchLines: name('batch_lines'),
    batchChunks: name('batch_chunks'),
    batchCounts: name('batch_counts'),
    reconciliation: name('reconciliation'),
    migrations: name('migrations'),
    fences: name('inbox_fence'),
    versions: name('journal_version'),
  };
}

/** A text as an SQL literal. */
export function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The next number of a sequence. */
export function nextOf(sequence: string): string {
  return `nextval(${sqlLiteral(sequence)})`;
}
