import { afterEach, beforeEach, expect, it } from 'vitest';
import { Module, type OnModuleInit, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Redis } from 'ioredis';
import { CollectionsService, PaymentsJournal, PaymentsModule, type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { sqliteStorage } from 'nestjs-payments/sqlite';
import { eventually } from '../../support/eventually.js';
import { collectionRequest } from '../../support/gateway-answers.js';
import { journalRecord } from '../../support/journal-contract.js';
import { type MisbehavingGateway, startMisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { connectRedis, forget, ownPrefix } from '../../support/redis.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';
import { SeverableProxy } from '../../support/severable-proxy.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../support/sqlite-file.js';
import { accept } from '../../support/working-gateway.js';

const LEASE_MS = 60_000;
const RECORD = journalRecord('order-1');

/** A module of an application, whose options are made once in the process. */
function moduleOn(storage: PaymentsStorage, baseUrl: string): Type {
  @Module({
    imports: [
      PaymentsModule.forRoot({ baseUrl, apiKey: 'pk_test_demo', apiSecret: 'sk_test_demo', storage }),
    ],
  })
  class AppModule {}
  return AppModule;
}

const start = (module: Type) => NestFactory.createApplicationContext(module, { logger: false });

/** What holds for applications that begin one after the other with the same storage. */
function nextApplicationContract(make: () => PaymentsStorage): void {
  let gateway: MisbehavingGateway;
  let storage: PaymentsStorage;

  beforeEach(async () => {
    storage = make();
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
  });
  afterEach(async () => {
    await storage.close?.();
    await gateway.close();
  });

  it('serves each application of a process that follows another one', async () => {
    const AppModule = moduleOn(storage, gateway.baseUrl);
    for (const reference of ['one', 'two', 'three']) {
      const app = await start(AppModule);
      const payment = await app.get(CollectionsService).mobileMoney({ ...collectionRequest, reference });
      expect(payment.reference).toBe(reference);
      const first = await app.get(PaymentsJournal).get('collection', 'one');
      expect(first?.reference).toBe('one');
      await app.close();
    }
  });

  it('serves an application that begins while the one before it ends', async () => {
    const before = await start(moduleOn(storage, gateway.baseUrl));
    @Module({ imports: [moduleOn(storage, gateway.baseUrl)] })
    class NextModule implements OnModuleInit {
      /** By then, the package has opened its storage. */
      async onModuleInit(): Promise<void> {
        await before.close();
      }
    }
    const app = await start(NextModule);
    const payment = await app.get(CollectionsService).mobileMoney(collectionRequest);
    expect(payment.reference).toBe(collectionRequest.reference);
    await app.close();
  });

  it('is closed by the last of two applications that run at the same time', async () => {
    const [one, other] = [
      await start(moduleOn(storage, gateway.baseUrl)),
      await start(moduleOn(storage, gateway.baseUrl)),
    ];
    await one.close();
    const payment = await other.get(CollectionsService).mobileMoney(collectionRequest);
    expect(payment.reference).toBe(collectionRequest.reference);
    await other.close();
  });
}

/** What holds for a storage that opens something itself. */
function closedContract(make: () => PaymentsStorage): void {
  it('refuses what comes after its end, until it is opened again', async () => {
    const storage = make();
    await storage.journal.insert(RECORD, LEASE_MS);
    await storage.close?.();
    await storage.close?.();
    const late = storage.journal.get(RECORD);
    await expect(late).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    await storage.open?.();
    expect((await storage.journal.get(RECORD))?.record.reference).toBe(RECORD.reference);
    await storage.close?.();
  });
}

describeWith([redisService], 'a storage on Redis that connects by itself', () => {
  let keyPrefix: string;
  let proxy: SeverableProxy;
  let admin: Redis;

  beforeEach(async () => {
    keyPrefix = ownPrefix();
    proxy = await SeverableProxy.before(redisService.url);
    admin = connectRedis();
  });
  afterEach(async () => {
    await forget(admin, keyPrefix);
    admin.disconnect();
    await proxy.close();
  });

  const storage = () => redisStorage({ url: proxy.url, keyPrefix });
  nextApplicationContract(storage);
  closedContract(storage);

  it('connects for its first work and no sooner, and has no connection after its end', async () => {
    const { open, close, journal } = storage();
    await open?.();
    expect(proxy.connections).toBe(0);
    await journal.get(RECORD);
    expect(proxy.connections).toBe(1);
    await open?.();
    await journal.get(RECORD);
    expect(proxy.connections).toBe(1);
    await close?.();
    await eventually(() => {
      expect(proxy.connections).toBe(0);
    });
    await open?.();
    await journal.get(RECORD);
    await open?.();
    await journal.get(RECORD);
    expect(proxy.connections).toBe(1);
    await close?.();
    await eventually(() => {
      expect(proxy.connections).toBe(0);
    });
    await open?.();
    await close?.();
    await expect(journal.get(RECORD)).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    expect(proxy.connections).toBe(0);
  });

  it('lists the accounts of the next application, although Redis was emptied in between', async () => {
    const { open, close, journal } = storage();
    await journal.insert(RECORD, LEASE_MS);
    await close?.();
    await forget(admin, keyPrefix);
    await open?.();
    await journal.insert(RECORD, LEASE_MS);
    await eventually(async () => {
      expect(await journal.accounts({ limit: 9 })).toMatchObject({
        accounts: [{ account: RECORD.account }],
      });
    });
    await close?.();
  });
});

describeWithSqlite('a storage on a file of SQLite', () => {
  let file: SqliteTestFile;

  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());

  const storage = () => sqliteStorage({ file: file.file, transactional: true });
  nextApplicationContract(storage);
  closedContract(storage);

  it('opens its file for its first work and no sooner: another process may have it', async () => {
    const [one, other] = [storage(), storage()];
    await other.journal.insert(RECORD, LEASE_MS);
    await expect(one.open?.()).rejects.toThrow('is in use by another process');
    await expect(one.journal.get(RECORD)).rejects.toThrow('is in use by another process');
    await other.close?.();
    await one.open?.();
    await one.close?.();
    await other.open?.();
    await other.close?.();
  });
});

describeWith([postgresService], 'a storage on a pool of the application', () => {
  let database: PaymentsDatabase;

  beforeEach(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.close());

  nextApplicationContract(() => postgresStorage({ pool: database.pool, schema: database.schema }));
});
