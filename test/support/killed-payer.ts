import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import {
  DEATHS,
  Invoices,
  type PayerDatabase,
  type PayerDeath,
  type PayerSettings,
  payoutOf,
  WAYS,
} from './killed-payer-application.js';
import { type PaymentsApp, startPaymentsApp } from './payments-app.js';
import { scheme, secret } from './webhook-app.js';

/** A database of a test with the table `invoices`, for a process that dies and for this one after it. */
export interface PayersDatabase {
  readonly place: string;
  /** Opens it in this process, when the other one is dead. */
  open(): Promise<PayerDatabase> | PayerDatabase;
  /** The references of the rows. */
  rows(): Promise<readonly string[]> | readonly string[];
  /** Lets time pass for each process that opens it. */
  pass(ms: number): unknown;
  close(): unknown;
}

/** A busy machine may take seconds for one look. */
const WITHIN = { timeout: 30_000 };

/** Longer than a planned payment waits for `send()`, and than every lease. */
const LATER_MS = 200_000;

/**
 * What holds for a payment that a process has enlisted when it dies. Call it inside a `describe`.
 *
 * @param program That calls `runPayer()` of `killed-payer-application.ts`.
 */
export function killedPayerContract(
  program: () => string,
  open: () => Promise<PayersDatabase> | PayersDatabase,
): void {
  const reference = 'INV-1';
  let sandbox: PaymentsSandbox;
  let database: PayersDatabase;
  let second: PaymentsApp | undefined;
  let payer: ChildProcess | undefined;

  beforeEach(async () => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
    sandbox = await PaymentsSandbox.start({ clock: 'manual' });
    database = await open();
  });
  afterEach(async () => {
    payer?.kill('SIGKILL');
    vi.restoreAllMocks();
    await second?.app.close();
    second = undefined;
    await database.close();
    await sandbox.stop();
  });

  /** Runs a process until it is killed. */
  async function runToDeath(by: PayerSettings['by'], death: PayerDeath): Promise<void> {
    const gateway = sandbox.moduleOptions();
    const settings: PayerSettings = { place: database.place, gateway, reference, by, death };
    if (death === 'while the request is under way') {
      sandbox.next('POST /disbursements/bank', { reference }).hang();
      sandbox.on('payout', () => payer?.kill('SIGKILL'));
    }
    payer = fork(program(), [JSON.stringify(settings)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    expect(await once(payer, 'exit')).toEqual([null, 'SIGKILL']);
  }

  /** Starts another replica of the application. */
  async function startSecond(): Promise<PaymentsApp> {
    const opened = await database.open();
    Object.assign(Invoices, { database: opened, reference, enlisted: () => undefined });
    const options = { ...sandbox.moduleOptions(), webhooks: { scheme, secrets: [secret] } };
    second = await startPaymentsApp({ ...options, storage: opened.storage }, [Invoices]);
    return second;
  }
  async function deliver({ webhookUrl }: PaymentsApp): Promise<number> {
    const body = JSON.stringify(paymentEvent('payment.success', { reference: `order of ${reference}` }));
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    return (await fetch(webhookUrl, { method: 'POST', headers, body })).status;
  }
  const payouts = (): readonly string[] => sandbox.payouts().map((payout) => payout.reference);
  /** Recovers until the rows and the payments at the gateway are the same, and gives them. */
  const agreed = (app: PaymentsApp): Promise<readonly string[]> =>
    vi.waitFor(async () => {
      await app.journal.recover();
      const rows = await database.rows();
      expect(payouts()).toEqual(rows);
      return rows;
    }, WITHIN);

  describe.each(WAYS)('in %s', (by) => {
    it.each(DEATHS)('is made once if its row is committed, and else not at all: %s', async (death) => {
      await runToDeath(by, death);
      await database.pass(LATER_MS);
      const app = await startSecond();
      const rows = await agreed(app);
      if (death === 'before COMMIT') expect(rows).toEqual([]);
      else if (death !== 'during COMMIT') expect(rows).toEqual([reference]);
      if (by === 'a handler') {
        expect(await deliver(app)).toBe(200);
        await vi.waitFor(() => {
          expect(payouts()).toEqual([reference]);
        }, WITHIN);
        expect(await database.rows()).toEqual([reference]);
      }
      // A second caller gets the same payment, or hears that it is open. A row that is gone left the reference free.
      await Promise.allSettled([app.journal.recover(), app.disbursements.bank(payoutOf(reference))]);
      expect(payouts()).toEqual([reference]);
      expect(sandbox.requests()).toHaveLength(1);
      const isLost =
        death === 'while the request is under way' || death === 'before the answer is written down';
      expect(await app.journal.get('disbursement', reference)).toMatchObject({
        state: isLost ? 'unknown' : 'accepted',
      });
    });
  });
}
