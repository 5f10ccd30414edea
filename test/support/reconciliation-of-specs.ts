import { type Server } from 'node:http';
import { type INestApplication } from '@nestjs/common';
import { afterAll, afterEach, beforeAll } from 'vitest';
import {
  type ReconciliationApp,
  type ReconciliationAppOptions,
  type ReconciliationPlace,
  startReconciliationApp,
  startReconciliationPlace,
} from './reconciliation-place.js';

/** It is there while hooks and tests run, not while they are declared. */
export interface ReconciliationOfSpecs extends Omit<ReconciliationPlace, 'close'> {
  /** Starts an application, which is closed after the test, if the test did not close it. */
  start(options?: ReconciliationAppOptions): Promise<ReconciliationApp>;
  /** The same, and the gateway delivers its webhooks to the application. */
  startWithWebhooks(options?: ReconciliationAppOptions): Promise<ReconciliationApp>;
}

/**
 * One place for the specs of a `describe` or a file, in which nothing is stored when a test begins. Call it before other
 * hooks: what they do after a test comes first.
 *
 * @param url A server of PostgreSQL, for other processes, too. @default any
 */
export function reconciliationOfSpecs(url?: string): ReconciliationOfSpecs {
  let place: ReconciliationPlace;
  const started: INestApplication[] = [];
  beforeAll(async () => {
    place = await startReconciliationPlace(url);
  });
  afterEach(async () => {
    // First the applications: what they still write is forgotten, too.
    for (const app of started.splice(0)) if (isOpen(app)) await app.close();
    await place.sandbox.reset();
    await place.database.clear();
  });
  afterAll(() => place.close());

  const start = async (options?: ReconciliationAppOptions): Promise<ReconciliationApp> => {
    const shop = await startReconciliationApp(place, options);
    started.push(shop.app);
    return shop;
  };
  return {
    get sandbox() {
      return place.sandbox;
    },
    get database() {
      return place.database;
    },
    get storage() {
      return place.storage;
    },
    pass: (ms) => place.pass(ms),
    nextDay: (hours) => place.nextDay(hours),
    today: () => place.today(),
    csv: (day) => place.csv(day),
    statement: (day, change) => place.statement(day, change),
    start,
    startWithWebhooks: async (options) => {
      const shop = await start(options);
      place.sandbox.deliverTo(`${await shop.app.getUrl()}/webhooks/payments`);
      return shop;
    },
  };
}

/** A second `close()` of Nest would call the hooks of every module again. */
function isOpen(app: INestApplication): boolean {
  return (app.getHttpServer() as Server).listening;
}
