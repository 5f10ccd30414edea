import {
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type ModuleRef } from '@nestjs/core';
import { ModuleAccounts } from '../accounts/module-accounts.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { stopController } from '../common/timing.js';
import { BatchAccounts } from './batch/batch-accounts.js';
import { BatchNotifier } from './batch/batch-notifier.js';
import { BatchReporter } from './batch/batch-reporter.js';
import { type PayoutBatchEvents } from './batch/batch-events.js';
import { type ResolvedBatchesOptions } from './payout-batches-options.js';
import { type BatchContext } from './batch/batch-context.js';
import { BatchWorker } from './jobs/batch-worker.js';
import { enqueueOpenBatches } from './jobs/enqueue-open-batches.js';
import { KeysWait } from './jobs/keys-wait.js';

/** Starts the work on batches with the application, and ends it before anything that it needs is closed. */
export class BatchesLifecycle implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  readonly context: BatchContext;
  private readonly stopping = stopController();

  constructor(
    { engine, storage, policy, concurrency, now }: ResolvedBatchesOptions,
    moduleRef: ModuleRef,
    private readonly events: ApplicationEvents<PayoutBatchEvents>,
  ) {
    const accounts = new BatchAccounts(new ModuleAccounts(moduleRef, 'PayoutBatchesModule', storage), events);
    const { signal: stopping } = this.stopping;
    const reporter = new BatchReporter(events, { accounts, now, stopping });
    this.context = {
      accounts,
      policy,
      engine,
      concurrency,
      now,
      stopping,
      notifier: new BatchNotifier((place) => {
        reporter.changed(place);
      }),
    };
  }

  /** Continues with what another process, or this one before it died, was working on. */
  async onApplicationBootstrap(): Promise<void> {
    const { engine, accounts } = this.context;
    accounts.checkStorages();
    this.events.onApplicationBootstrap();
    const keys = new KeysWait(this.context);
    const worker = new BatchWorker(this.context, keys);
    await engine.start((job) => worker.run(job));
    // Not awaited: the application starts even if a storage is slow.
    void enqueueOpenBatches(this.context, keys);
  }

  /** Sends no further line, and wakes the callers that wait for a batch. */
  onModuleDestroy(): void {
    this.stopping.abort();
    this.context.notifier.wakeAll();
  }

  /** Waits for the lines that are being sent, while the storage is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.context.engine.close();
  }
}
