// One replica of a merchant's application: it pays and is paid until it is killed.
import { Controller, Get, HttpCode, Module, Post, Query, ServiceUnavailableException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { type AddressInfo, type Server } from 'node:net';
import { Pool } from 'pg';
import {
  CollectionsService,
  DisbursementsService,
  isPaymentsError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsJournal,
  PaymentsModule,
  type PaymentsStorage,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import { TimeTravellingRedis } from '../../support/redis.js';
import { History } from '../history.js';
import { lot } from '../plan.js';
import { ACCOUNT, SCHEME, SECRET } from '../replica-settings.js';
import { type CallSettings, isCollection, PROBE_AFTER_MS } from './call-settings.js';
import { type Said } from './call-history.js';

/** How often a replica dies as soon as it has told its caller that its call sent nothing. */
const DYING_SHARE = 0.3;

const settings = JSON.parse(process.argv[2] ?? '') as CallSettings;
const history = new History(settings.history, settings.life);

@Controller()
class CallsController {
  constructor(
    private readonly collections: CollectionsService,
    private readonly disbursements: DisbursementsService,
    private readonly journal: PaymentsJournal,
  ) {}

  /** 200 once the result of the caller is written down. */
  @Post('make')
  @HttpCode(200)
  async make(@Query('reference') reference: string, @Query('call') number: string): Promise<void> {
    const call = Number(number);
    history.add({ what: 'calling', reference, call });
    let error: unknown;
    const said = await this.pay(reference).then(
      (): Said => 'accepted',
      (failure: unknown) => saidBy((error = failure)),
    );
    const text = error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 120) : undefined;
    const told = { what: 'told', reference, call, said, ...(text !== undefined && { error: text }) } as const;
    // What it wrote down and could not take back is found by others.
    const dies = said === 'not by this call' && lot(settings.seed, 'dies', reference, call) < DYING_SHARE;
    history.add(dies ? [told, { what: 'killed', point: 'after it told its caller', reference }] : told);
    if (dies) process.kill(process.pid, 'SIGKILL');
  }

  @Post('recover')
  @HttpCode(200)
  async recover(): Promise<void> {
    await this.journal.recover().catch(() => {
      throw new ServiceUnavailableException();
    });
  }

  @Get('unresolved')
  async unresolved(): Promise<string[]> {
    const found: string[] = [];
    for await (const { reference } of this.journal.unresolved()) found.push(reference);
    return found;
  }

  private pay(reference: string): Promise<unknown> {
    return isCollection(reference)
      ? this.collections.mobileMoney({ ...collectionRequest, reference })
      : this.disbursements.bank({ ...bankRequest, reference });
  }
}

function saidBy(error: unknown): Said {
  if (error instanceof PaymentOutcomeUnknownError)
    return error.evidence === 'in-flight' ? 'in flight' : 'unknown';
  if (error instanceof PaymentRejectedError) return 'rejected';
  if (!isPaymentsError(error)) return 'unknown';
  if (error.name === 'ReferenceReusedError') return 'reused';
  if (error.mayHaveBeenProcessed === 'not-by-this-call') return 'not by this call';
  return error.mayHaveBeenProcessed ? 'unknown' : 'not sent';
}

function openStorage({ mode, url, aheadMs }: CallSettings): PaymentsStorage {
  if (mode === 'redis') {
    const client = new Redis(url, { maxRetriesPerRequest: 0, socketTimeout: 5_000 });
    client.on('error', () => undefined);
    const travelling = new TimeTravellingRedis(client);
    travelling.pass(aheadMs);
    return redisStorage({ client: travelling });
  }
  // So few that payments wait for a connection together, and share its commit.
  const pool = new Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  return postgresStorage({ pool, preparedStatements: true });
}

@Module({
  imports: [
    PaymentsModule.forRoot({
      ...ACCOUNT,
      baseUrl: settings.gateway,
      storage: openStorage(settings),
      deadlineMs: settings.deadlineMs,
      retry: { maxAttempts: 2, baseDelayMs: 10, maxDelayMs: 50 },
      probe: {
        collections: { afterSilenceMs: PROBE_AFTER_MS, afterAnswerMs: PROBE_AFTER_MS },
        disbursements: { afterSilenceMs: PROBE_AFTER_MS, afterAnswerMs: PROBE_AFTER_MS },
      },
      webhooks: { scheme: SCHEME, secrets: [SECRET] },
    }),
  ],
  controllers: [CallsController],
})
class PayingModule {}

const app = await NestFactory.create(PayingModule, { logger: false });
await app.listen(0, '127.0.0.1');
const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
process.send?.({ port });
process.once('disconnect', () => process.exit());
