import { FREE_CONNECTION, tooLate, WITHIN_MS } from '../sql/statement-timeout.js';
import { type PreparingPool, type RunStatement, withConnection } from './pooled-connection.js';
import { BRIEF_LOCKS } from './postgres-text.js';
import { type PostgresResult } from './postgres-pool.js';
import { type NamedStatement } from './statement-batch.js';

/** How many operations share a commit at most: each waits for all of them. */
const MOST_TOGETHER = 32;

interface Waiting {
  readonly statement: NamedStatement;
  /** Refuses it if no connection comes in time. */
  readonly timer: NodeJS.Timeout;
  readonly resolve: (result: PostgresResult | Promise<PostgresResult>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs statements that find their row by its key. Statements that wait for a connection at the same time share one,
 * with its round trip and commit: the fewer connections are free, the more statements share one. Without load, each
 * runs alone and at once.
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
      const timeOut = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(tooLate(FREE_CONNECTION));
      };
      const waiting: Waiting = { statement, resolve, reject, timer: setTimeout(timeOut, WITHIN_MS).unref() };
      this.waiting.push(waiting);
      void this.serve();
    });
  }

  /** Asks for a connection, unless one is on its way. */
  private async serve(): Promise<void> {
    if (this.isConnecting || this.waiting.length === 0) return;
    this.isConnecting = true;
    const asking = new Set(this.waiting);
    let group: readonly Waiting[] | undefined;
    try {
      await withConnection(this.pool, async (connection) => {
        group = this.take(this.waiting.slice(0, MOST_TOGETHER));
        const statements = group.map(({ statement }) => statement);
        this.settle(group, await connection.runTogether(statements, BRIEF_LOCKS));
      });
    } catch (error) {
      // Later statements have not waited as long: they keep waiting for the next connection.
      group ??= this.take(this.waiting.filter((one) => asking.has(one)));
      for (const { reject } of group) reject(error);
    }
  }

  /** Takes the first ones out, and asks for the next connection if others wait. */
  private take(group: readonly Waiting[]): readonly Waiting[] {
    this.waiting.splice(0, group.length);
    for (const { timer } of group) clearTimeout(timer);
    this.isConnecting = false;
    void this.serve();
    return group;
  }

  /** A statement that fails undoes all that shared its transaction: then each runs alone, and gets its own error. */
  private settle(group: readonly Waiting[], results: readonly PostgresResult[] | undefined): void {
    if (results) {
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
      return;
    }
    for (const { statement, resolve } of group) resolve(this.alone(statement.text, statement.values));
  }
}
