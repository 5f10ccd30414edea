import { expect } from 'vitest';
import { Injectable } from '@nestjs/common';
import {
  BanksService,
  isPaymentsError,
  memoryStorage,
  NameLookupService,
  OnPayment,
  type PaymentWebhookEvent,
  WalletService,
} from 'nestjs-payments';
import { PaymentsSandbox, type SandboxOperation } from 'nestjs-payments/sandbox';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { Random } from '../support/random.js';
import { doOtherDuties } from './other-duties.js';
import { DAY_FAULT_NAMES, type DayFault, planFault } from './planned-faults.js';

const START = 1_000_000_00;
const CUSTOMER = { customer_name: 'Asha Juma', customer_email: 'asha@example.com' };
const ENDINGS = ['approve', 'decline', 'cancel', 'expire'] as const;
const PAYOUT_ENDINGS = ['pay', 'fail', 'cancel'] as const;
/** Numbers that wait for the phone, more often than the magic ones. */
const PHONES: [string, ...string[]] = [
  '255712345678',
  '255712345678',
  '255712345678',
  '255712340001',
  '255712340002',
  '255712340005',
  '255712340007',
  '255712340008',
  '255712340009',
  '255712340010',
];
const COLLECT_BY = {
  mobileMoney: 'POST /payments/mobile-money',
  partnerWallet: 'POST /payments/partnerpesa',
} as const;
const PAY_OUT_BY = {
  bank: 'POST /disbursements/bank',
  mobileMoney: 'POST /disbursements/mobile-money',
} as const;

@Injectable()
class Books {
  readonly heard: string[] = [];

  @OnPayment('*')
  settled({ event, data }: PaymentWebhookEvent): void {
    this.heard.push(`${event} ${data.reference} ${data.amount}`);
  }
}

type Family = 'collection' | 'disbursement';
type Ending = 'accepted' | { readonly refusal: unknown };

/** A day of one merchant under one seed. Throws if money was not safe, with the seed and the story. */
export async function playDay(seed: number): Promise<void> {
  const sandbox = await PaymentsSandbox.start({ profile: 'adversarial', clock: 'manual', seed });
  const choices = new Random(seed);
  const time = { passedMs: 0 };
  const app = await startPaymentsApp(
    {
      ...sandbox.moduleOptions(),
      storage: memoryStorage({ now: () => Date.now() + time.passedMs }),
      auth: choices.pick(['headers', 'bearer'] as const),
      amountFormat: {
        collections: choices.pick(['number', 'string'] as const),
        disbursements: choices.pick(['number', 'string'] as const),
      },
      retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
      probe: {
        collections: choices.chance(0.5) && { afterAnswerMs: 1, afterSilenceMs: 1 },
        disbursements: false,
      },
    },
    [Books],
  );
  sandbox.deliverTo(app.webhookUrl);
  const day = new MerchantDay(sandbox, app, choices, time);
  try {
    await day.play();
  } catch (error) {
    const again = `npm run test:seeds -- --seeds 1 --first ${seed}`;
    throw new Error(`Seed ${seed} (again: ${again}), ${day.subject}:\n${sandbox.explain(day.subject)}`, {
      cause: error,
    });
  } finally {
    await app.app.close();
    await sandbox.stop();
  }
}

class MerchantDay {
  /** The reference that was worked on last. */
  subject = '';
  private readonly amounts = new Map<string, string>();

  constructor(
    private readonly sandbox: PaymentsSandbox,
    private readonly app: PaymentsApp,
    private readonly choices: Random,
    private readonly time: { passedMs: number },
  ) {}

  async play(): Promise<void> {
    await this.read();
    for (let order = 1; order <= 12; order += 1) await this.takeOrder(`order-${order}`);
    await this.takeOrderManyTimes('order-13');
    await this.beRefused();
    for (let salary = 1; salary <= 6; salary += 1) await this.paySalary(`salary-${salary}`);
    await this.recover();
    await this.sandbox.clock.advance('2d');
    await this.recover();
    // What recovery asked for once more has its time too.
    await this.sandbox.clock.advance('2d');
    await this.compare();
    this.subject = 'the other duties';
    await doOtherDuties(this.sandbox, this.app);
  }

  /** Long enough after the calls that recovery may ask again about those without a clear answer. */
  private async recover(): Promise<void> {
    this.time.passedMs += 120_000;
    await this.app.journal.recover();
  }

  private async read(): Promise<void> {
    const { app } = this.app;
    const banks = await app.get(BanksService).list();
    expect(banks.map(({ code }) => code)).toContain('BSB');
    await expect(app.get(BanksService).find('bsb')).resolves.toMatchObject({ name: 'Baobab Savings Bank' });
    await this.compareBalance();
    const names = app.get(NameLookupService);
    const phone = { channel: 'MOBILE_MONEY', account_number: '255712345678' } as const;
    const account = { channel: 'BANK', account_number: '0123456789', bank_code: 'BSB' } as const;
    expect((await names.lookup(phone)).account_name).toBe(this.sandbox.directory.holderOf('255712345678'));
    expect((await names.lookup(account)).account_name).toBe(this.sandbox.directory.holderOf('0123456789'));
    await expect(names.lookup({ ...account, account_number: '0150404' })).rejects.toMatchObject({
      name: 'PaymentRejectedError',
      code: 'ACCOUNT_NOT_FOUND',
    });
  }

  private async takeOrder(reference: string): Promise<void> {
    const { choices, sandbox } = this;
    const way = choices.pick<keyof typeof COLLECT_BY>(['mobileMoney', 'partnerWallet']);
    const phone = choices.pick(PHONES);
    const amount = this.amountOf(reference, 50_000_00);
    const request = {
      reference,
      amount,
      phone,
      ...CUSTOMER,
      ...choices.pick([{}, { metadata: { cart: [1] } }]),
    };
    const call = (timeoutMs: number) => this.app.collections[way](request, { timeoutMs });
    await this.callTwice('collection', reference, COLLECT_BY[way], call);

    const payment = sandbox.payments().find((other) => other.reference === reference);
    if (payment?.status !== 'pending' || !choices.chance(0.7) || phone !== '255712345678') return;
    if (choices.chance(0.2)) this.app.seen.failWith = new Error('the database is away');
    await sandbox.customer(phone)[choices.pick(ENDINGS)](reference);
  }

  /** Clicked five times at once: one request, and five times the same answer. */
  private async takeOrderManyTimes(reference: string): Promise<void> {
    this.subject = reference;
    const amount = this.amountOf(reference, 50_000_00);
    const request = { reference, amount, phone: '255712345678', ...CUSTOMER };
    const clicks = Array.from({ length: 5 }, () => this.app.collections.mobileMoney(request));
    const records = await Promise.all(clicks);
    expect(records.map((record) => record.amount)).toEqual(records.map(() => amount));
    expect(this.sentSoFar(reference)).toBe(1);
  }

  private async paySalary(reference: string): Promise<void> {
    const { choices, sandbox } = this;
    const way = choices.pick<keyof typeof PAY_OUT_BY>(['bank', 'mobileMoney']);
    const payment = { reference, amount: this.amountOf(reference, 20_000_00), remarks: 'Salary' };
    const call = (timeoutMs: number) =>
      way === 'bank'
        ? this.app.disbursements.bank(
            { ...payment, bank_code: 'BSB', account_number: '0123456789', account_name: 'Asha Juma' },
            { timeoutMs },
          )
        : this.app.disbursements.mobileMoney(
            { ...payment, network: 'NET_ONE', recipient_phone: '255712345678', recipient_name: 'Asha Juma' },
            { timeoutMs },
          );
    await this.callTwice('disbursement', reference, PAY_OUT_BY[way], call);
    if (sandbox.payouts().some((payout) => payout.reference === reference)) {
      await sandbox.payout(reference)[choices.pick(PAYOUT_ENDINGS)]();
    }
  }

  /** A refusal is definite in every shape under a 4xx; the corrected request then goes through. */
  private async beRefused(): Promise<void> {
    const network = await this.refusal('corrected-1', { network: 'NET_NONE' }, 'INVALID_NETWORK');
    const balance = await this.refusal('corrected-2', { amount: '9000000' }, 'INSUFFICIENT_BALANCE');
    for (const correct of [network, balance]) await correct?.();
  }

  /** Gives the corrected call; undefined if the gateway's answer was no definite refusal. */
  private async refusal(
    reference: string,
    mistake: object,
    code: string,
  ): Promise<(() => Promise<void>) | undefined> {
    const { disbursements } = this.app;
    this.subject = reference;
    const request = {
      reference,
      amount: this.amountOf(reference, 1_000_00),
      network: 'NET_ONE',
      recipient_phone: '255712345678',
      recipient_name: 'Asha Juma',
      remarks: 'Refund',
    };
    const refused = disbursements.mobileMoney({ ...request, ...mistake });
    const error = await refused.catch((failure: unknown) => failure);
    const status = isPaymentsError(error) ? (error.httpStatus ?? 0) : 0;
    const isDefinite = status >= 400 && status < 500;
    expect(error).toMatchObject(
      isDefinite ? { name: 'PaymentRejectedError', code } : { name: 'PaymentOutcomeUnknownError' },
    );
    if (!isDefinite) {
      this.amounts.delete(reference);
      return undefined;
    }
    return async () => {
      await expect(disbursements.mobileMoney(request)).resolves.toMatchObject({ reference });
    };
  }

  /** One call that something may happen to, and the same call once more. */
  private async callTwice(
    family: Family,
    reference: string,
    operation: SandboxOperation,
    call: (timeoutMs: number) => Promise<{ readonly reference: string; readonly amount: string }>,
  ): Promise<void> {
    this.subject = reference;
    const fault: DayFault = this.choices.chance(0.4) ? 'nothing' : this.choices.pick(DAY_FAULT_NAMES);
    planFault(fault, this.sandbox.next(operation, { reference }));
    const first = await this.make(family, reference, () => call(fault === 'silence' ? 300 : 10_000));
    if (fault === 'nothing') expect(first).toBe('accepted');
    const sent = this.sentSoFar(reference);
    const second = await this.make(family, reference, () => call(10_000));
    const certain =
      first === 'accepted' || (isPaymentsError(first.refusal) && first.refusal.mayHaveBeenProcessed);
    if (certain)
      expect([second === 'accepted', this.sentSoFar(reference)]).toEqual([first === 'accepted', sent]);
  }

  private async make(
    family: Family,
    reference: string,
    call: () => Promise<{ readonly reference: string; readonly amount: string }>,
  ): Promise<Ending> {
    try {
      const record = await call();
      expect(record).toMatchObject({ reference, amount: this.amounts.get(reference) });
      expect(this.existing(family, reference)).toMatchObject({ amount: this.amounts.get(reference) });
      return 'accepted';
    } catch (refusal) {
      if (!isPaymentsError(refusal)) throw refusal;
      if (!refusal.mayHaveBeenProcessed) expect(this.existing(family, reference)).toBeUndefined();
      return { refusal };
    }
  }

  private async compare(): Promise<void> {
    const { sandbox, app } = this;
    expect(sandbox.deliveries().filter(({ state }) => state !== 'delivered')).toEqual([]);
    const told = sandbox
      .payments()
      .map(({ status, reference, amount }) => `payment.${status} ${reference} ${amount}`);
    expect([...app.app.get(Books).heard].sort()).toEqual([...told].sort());
    expect(app.seen.events).toHaveLength(told.length);
    for (const [reference] of this.amounts) await this.compareJournal(reference);
    this.subject = 'the wallet';
    await this.compareBalance();
  }

  private async compareJournal(reference: string): Promise<void> {
    this.subject = reference;
    const family = reference.startsWith('order') ? 'collection' : 'disbursement';
    const entry = await this.app.journal.get(family, reference);
    const existing = this.existing(family, reference);
    if (!existing) {
      expect(entry?.outcome).toBeUndefined();
      return;
    }
    expect(entry).toMatchObject({ amount: existing.amount });
    if (family === 'collection') expect(entry).toMatchObject({ state: 'settled', outcome: existing.status });
    else expect(['accepted', 'unknown']).toContain(entry?.state);
  }

  private async compareBalance(): Promise<void> {
    const { sandbox } = this;
    const received = sandbox.payments().filter(({ status }) => status === 'success');
    const spent = sandbox.payouts().filter(({ status }) => status === 'paid');
    const cents =
      START +
      received.reduce((sum, { net_amount }) => sum + Math.round(net_amount * 100), 0) -
      spent.reduce((sum, { total_amount }) => sum + Math.round(Number(total_amount) * 100), 0);
    const wallet = await this.app.app.get(WalletService).balance();
    const locked = sandbox.payouts().filter(({ status }) => status === 'processing');
    const lockedCents = locked.reduce(
      (sum, { total_amount }) => sum + Math.round(Number(total_amount) * 100),
      0,
    );
    expect(wallet).toMatchObject({
      balance: (cents / 100).toFixed(2),
      locked_balance: (lockedCents / 100).toFixed(2),
      available_balance: ((cents - lockedCents) / 100).toFixed(2),
    });
  }

  private amountOf(reference: string, mostCents: number): string {
    const amount = ((100 + this.choices.below(mostCents - 99)) / 100).toFixed(2);
    this.amounts.set(reference, amount);
    return amount;
  }

  private existing(
    family: Family,
    reference: string,
  ): { readonly amount: string; readonly status: string } | undefined {
    const records = family === 'collection' ? this.sandbox.payments() : this.sandbox.payouts();
    return records.find((record) => record.reference === reference);
  }

  private sentSoFar(reference: string): number {
    return this.sandbox
      .requests()
      .filter(({ body }) => (body as { reference?: string } | null)?.reference === reference).length;
  }
}
