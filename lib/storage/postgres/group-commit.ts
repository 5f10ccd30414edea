import { type PreparingPool, type RunStatement, withConnection } from './pooled-connection.js';
import { BRIEF_LOCKS } from './postgres-text.js';
import { type PostgresResult } from './postgres-pool.js';
import { type NamedStatement } from './statement-batch.js';

/** How many operations share a commit at most: each waits for all of them. */
export const MOST_TOGETHER = 32;

interface Waiting {
  readonly statement: NamedStatement;
  readonly resolve: (result: PostgresResult | Promise<PostgresResult>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs statements that find their row by its key. Those that wait for a connection at the same time share one, and its round
 * trip and commit: the fewer connections are free, the more of them. While there is no load, each runs alone and at once.
 */
export class GroupCommit {
  private readonly waiting: Waiting[] = [];
  private isConnecting = false;

  /** @param alone Runs a statement by itself. */
  constructor(
    private readonly pool: PreparingPool,
    private readonly alone: RunStatement,
  ) {}

  run(statement: NamedStatement): Promise<PostgresResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ statement, resolve, reject });
      void this.serve();
    });
  }

  /** Asks for a connection, unless one is on its way. */
  private async serve(): Promise<void> {
    if (this.isConnecting || this.waiting.length === 0) return;
    this.isConnecting = true;
    const asking = this.waiting.length;
    let group: readonly Waiting[] | undefined;
    const take = (most: number): readonly Waiting[] => {
      this.isConnecting = false;
      group = this.waiting.splice(0, most);
      void this.serve();
      return group;
    };
    try {
      await withConnection(this.pool, async (connection) => {
        const statements = take(MOST_TOGETHER).map(({ statement }) => statement);
        const results = await connection.runTogether(statements, BRIEF_LOCKS);
        this.settle(group ?? [], results);
      });
    } catch (error) {
      // Whoever came after the connection was asked for has not waited as long.
      for (const { reject } of group ?? take(asking)) reject(error);
    }
  }

  /** One that fails undoes those with which it shared a transaction: then each runs alone, and has its own error. */
  private settle(group: readonly Waiting[], results: readonly PostgresResult[] | undefined): void {
    group.forEach(({ statement: { text, values }, resolve }, index) => {
      resolve(results?.[index] ?? this.alone(text, values));
    });
  }
}
