import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { forwardEvents, handlerClient } from './handler-client.js';
import { HandlerStatements } from './handler-statements.js';
import { type HandlerConnection, runHandlers } from './payments-pool.js';
import { timeLimited } from '../sql/statement-timeout.js';
import { type PooledConnection, type RunStatement } from './pooled-connection.js';
import { type PostgresClient, type PostgresPool, type PostgresResult } from './postgres-pool.js';

/** The connection of one delivery, shared by its handlers' checkouts and by the package. */
export class DeliveryConnection implements HandlerConnection {
  /** What handlers find as `context.transaction`. */
  readonly client: PostgresClient;
  private readonly transaction: HandlerStatements;
  private readonly views = new Set<PostgresClient>();
  /** Stops forwarding the connection's events to checkouts, because it goes back to the pool. */
  readonly stopEvents: () => void;

  constructor(
    private readonly connection: PooledConnection,
    private readonly pool: PostgresPool,
  ) {
    this.transaction = new HandlerStatements((text) => connection.client.query(text));
    this.client = this.view(() => {
      throw new PaymentsStorageError(
        'The connection of the webhook transaction is given back after the handlers: take release() out of the handler.',
      );
    });
    this.stopEvents = forwardEvents(connection.client, this.views);
  }

  /** Runs a statement of the package in turn with those of handlers. */
  readonly run: RunStatement = (text, values) =>
    this.transaction.run(this, () => this.connection.run(text, values));

  readonly checkOut = (): PostgresClient => {
    if (this.transaction.over) throw this.transaction.over;
    return this.view((client) => {
      if (!this.views.delete(client)) {
        throw new Error('Release called on client which has already been released to the pool.');
      }
      this.transaction.release(client);
    });
  };

  runHandlers<T>(handlers: () => T): T {
    return runHandlers(this.pool, this, handlers);
  }

  /**
   * Refuses further statements of handlers, and commits after those that were sent before. A statement that nobody
   * awaits, or a cursor that was left open, may keep the connection: it has no time limit of its own.
   */
  finish(text: string): Promise<PostgresResult> {
    const finishing = this.transaction.finish(() => this.connection.run(text));
    return timeLimited(finishing, 'the end of what the handlers began');
  }

  /** Refuses further statements of handlers, and those that wait. */
  block(): void {
    this.transaction.abort();
  }

  private view(release: (client: PostgresClient) => void): PostgresClient {
    const view = handlerClient(this.connection.client, this.transaction, { release });
    this.views.add(view);
    return view;
  }
}
