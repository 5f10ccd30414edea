import { type JournalEntry } from 'nestjs-payments';
import { type CloseProposal, type DayClose, type Statement } from 'nestjs-payments/reconciliation';
import { controlOf } from '../../support/control-caller.js';
import { Random } from '../../support/random.js';
import {
  asked,
  HOUR,
  paidOut,
  type ReconciliationApp,
  type ReconciliationPlace,
} from '../../support/reconciliation-place.js';
import { ExpectedExceptions, type MadePayment } from './expected.js';
import { type FailedPayout, PlantedStatement } from './plants.js';

const MINUTE = 60_000;
const DAY = 24 * HOUR;
const DAYS = 30;
const CUSTOMER = '255712345678';
const BY = { by: 'accountant' };
const PAYOUTS = 'POST /disbursements/bank';
/** More than all payments of a month. */
const GAP = 40_000_000n;

interface Due {
  readonly at: number;
  readonly run: () => Promise<void>;
}

/** What went wrong, in words. */
export type Problems = string[];

/** A month of a shop, with everything that may go wrong, whose days are closed one after the other. */
export class Month {
  readonly problems: Problems = [];
  readonly found = new Map<string, number>();
  private readonly random: Random;
  private readonly expected = new ExpectedExceptions();
  private readonly payments = new Map<string, MadePayment>();
  private readAt = 0;
  /** Of which the statement has proved the outcome, without an exception. */
  private unapplied = new Set<string>();
  /** What the close before proposed, and nobody has applied. */
  private proposed: readonly CloseProposal[] = [];
  /** Payouts of which the statements of two days say the contrary: nothing is proposed of them any more. */
  private readonly contradicted = new Set<string>();
  private readonly failedOnce = new Set<string>();
  private due: Due[] = [];
  private made = 0;
  /** The beginnings of days on which money left without a payment. */
  private readonly gaps = new Set<number>();

  constructor(
    private readonly place: ReconciliationPlace,
    private readonly shop: ReconciliationApp,
    seed: number,
  ) {
    this.random = new Random(seed);
  }

  /** The webhooks of the gateway get lost now and then. */
  isWebhookLost(): boolean {
    return this.random.chance(0.3);
  }

  async live(): Promise<void> {
    const start = Date.parse(await this.place.nextDay(0)) - 3 * HOUR;
    for (let day = 0; day < DAYS; day += 1) {
      const from = start + day * DAY;
      for (let made = this.random.below(4); made > 0; made -= 1) {
        this.plan(from + this.random.below(DAY), () => this.pay());
      }
      // The first close has no balance to begin with.
      if (day > 0 && this.random.chance(0.05))
        this.plan(from + HOUR + this.random.below(DAY - 2 * HOUR), () => this.takeAway(from));
      this.plan(from + DAY + this.random.below(20_000), () => this.readBalance());
      this.plan(from + DAY + 6 * HOUR, () => this.close(from));
    }
    while (this.due.length > 0 && this.problems.length === 0) {
      this.due.sort((one, other) => one.at - other.at);
      const [next] = this.due.splice(0, 1);
      if (!next) return;
      await this.passUntil(next.at);
      await next.run();
    }
  }

  /** The time that the stories take in this process counts for the database only: many months would take the clocks apart. */
  private async passUntil(at: number): Promise<void> {
    const { database, sandbox } = this.place;
    const left = at - sandbox.clock.now();
    if (left <= 0) return;
    const behind = at - (await this.databaseNow());
    if (behind > 0) await database.pass(behind);
    await sandbox.clock.advance(left);
  }

  private async databaseNow(): Promise<number> {
    const { rows } = await this.place.database.pool.query<{ ms: string }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS ms',
    );
    return Number(rows[0]?.ms);
  }

  private plan(at: number, run: () => Promise<void>): void {
    this.due.push({ at, run });
  }

  private async pay(): Promise<void> {
    this.made += 1;
    // Every amount is another one.
    const amount = `${1_000 + this.made}`;
    if (this.random.chance(0.5)) await this.collect(`order-${this.made}`, amount);
    else await this.payOut(`supplier-${this.made}`, amount);
  }

  /** By the clock of the database, which may be some seconds ahead of the gateway's. */
  private async write(payment: Omit<MadePayment, 'begunAt'>): Promise<void> {
    this.payments.set(payment.reference, { ...payment, begunAt: await this.databaseNow() });
  }

  private async collect(reference: string, amount: string): Promise<void> {
    await this.write({ family: 'collection', reference, isFeeUnknown: false });
    await asked(this.shop, reference, amount);
    const decide = this.random.pick([
      'approve',
      'approve',
      'approve',
      'decline',
      'cancel',
      undefined,
    ] as const);
    if (!decide) return; // it expires
    const customer = this.place.sandbox.customer(CUSTOMER);
    this.plan(this.place.sandbox.clock.now() + this.random.below(14) * MINUTE, async () => {
      await customer[decide](reference);
    });
  }

  private async payOut(reference: string, amount: string): Promise<void> {
    const { sandbox } = this.place;
    const fate = this.random.pick(['answered', 'answered', 'answered', 'lost', 'unsent', 'refused'] as const);
    const next = sandbox.next(PAYOUTS);
    if (fate === 'lost') next.dropAfterProcessing();
    if (fate === 'unsent') next.dropBefore();
    if (fate === 'refused') next.status(422, { code: 'INVALID_ACCOUNT' });
    await this.write({
      family: 'disbursement',
      reference,
      isFeeUnknown: fate === 'lost' || fate === 'unsent',
    });
    await paidOut(this.shop, reference, amount).catch((error: unknown) => {
      if (fate === 'answered') throw error;
    });
    // Somebody tries it again later, under the same reference.
    if (fate === 'refused' && this.random.chance(0.7))
      this.plan(sandbox.clock.now() + this.random.below(72 * HOUR), () => this.payOut(reference, amount));
    if (fate === 'refused' || fate === 'unsent') return;
    const end = this.random.pick(['pay', 'pay', 'pay', 'fail', 'cancel', undefined] as const);
    if (!end) return;
    const afterMs = this.random.chance(0.8) ? this.random.below(4 * HOUR) : this.random.below(60 * HOUR);
    this.plan(sandbox.clock.now() + afterMs, async () => {
      await sandbox.payout(reference)[end]();
    });
  }

  /** Money leaves the wallet, and nobody says why. */
  private async takeAway(from: number): Promise<void> {
    const { available_balance } = this.place.sandbox.balance();
    const available = BigInt(Math.round(available_balance)) - GAP;
    if (available < 0n) return;
    this.gaps.add(from);
    await controlOf(this.place.sandbox).put('/balance', { available: `${available}` });
  }

  private async readBalance(): Promise<void> {
    const { askedAt } = await this.shop.reconciliation.readBalance();
    this.readAt = askedAt.getTime();
  }

  private async close(from: number): Promise<void> {
    const day = new Date(from + 3 * HOUR).toISOString().slice(0, 10);
    const planted = new PlantedStatement(this.place.csv(day), this.unknownFees());
    const isHidden = this.random.chance(0.5);
    if (isHidden) planted.hideAdjustments();
    const entries = await this.entries();
    const failed = [...entries.values()]
      .filter(
        ({ outcome, family }) => family === 'collection' && outcome !== undefined && outcome !== 'success',
      )
      .map(({ reference }) => reference)
      .filter((reference) => !this.failedOnce.has(reference));
    for (const payout of this.failedPayouts(from, entries))
      if (this.random.chance(0.5)) planted.tellFailed(payout);
    for (const payout of this.contradictable(from, entries))
      if (this.random.chance(0.2)) planted.contradict(payout, payout.isPaid ? 'failed' : 'paid');
    while (this.random.chance(0.3)) planted.plant(this.random, failed.splice(0, 1), (this.made += 1));
    const text = planted.text();
    const hasStatement = this.random.chance(0.9);
    this.expected.close({
      from,
      cutOff: from + DAY,
      readAt: this.readAt,
      hasStatement,
      payments: [...this.payments.values()],
      entries,
      rows: hasStatement ? planted.references : [],
      movedAt: this.movedAt(),
      plants: hasStatement ? planted.plants : [],
      hasGap: (isHidden || !hasStatement) && this.gaps.has(from),
    });
    for (const { kind, reference } of hasStatement ? planted.plants : []) {
      if (kind === 'status') this.failedOnce.add(reference);
      if (kind === 'contradicted') this.contradicted.add(reference);
    }
    const close = hasStatement
      ? await this.closeWith(day, text, planted.references)
      : await this.shop.reconciliation.close({ day, ...BY });
    this.check(day, close);
    this.checkAgain(day, close, entries);
    await this.act(close);
  }

  /** A statement may be refused only if all its rows are of strangers. Then a person says that this is right. */
  private async closeWith(day: string, text: string, references: readonly string[]): Promise<DayClose> {
    const { reconciliation } = this.shop;
    const statement = (): Statement => this.place.statement(day, () => text);
    try {
      return await reconciliation.close({ day, statement: statement(), ...BY });
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('allowNoMatch: true'))) throw error;
      const known = references.filter((reference) => this.payments.has(reference));
      if (known.length > 0) this.problems.push(`${day}: refused, though it has rows of ${known.join(', ')}`);
      return reconciliation.close({ day, statement: statement(), allowNoMatch: true, ...BY });
    }
  }

  private check(day: string, { exceptions, proposals, summary }: DayClose): void {
    const open = exceptions.filter(({ state }) => state === 'open');
    const names = open.map(({ kind, reference }) => `${kind} ${reference}`).sort();
    for (const { kind } of open) this.found.set(kind, (this.found.get(kind) ?? 0) + 1);
    if (names.join() !== this.expected.names.join()) {
      this.problems.push(`${day}: found ${names.join(', ')}; expected ${this.expected.names.join(', ')}`);
    }
    const hasGap = open.some((one) => one.kind === 'balance' && one.day === day);
    if (!hasGap && summary.balance && summary.balance.difference !== '0.00') {
      this.problems.push(`${day}: the truth was outside of the interval: ${JSON.stringify(summary.balance)}`);
    }
    const ends = new Map([
      ...this.place.sandbox.payments().map(({ reference, status }) => [reference, status] as const),
      ...this.place.sandbox.payouts().map(({ reference, status }) => [reference, status] as const),
    ]);
    for (const { reference, outcome } of proposals) {
      if (ends.get(reference) !== outcome)
        this.problems.push(`${day}: ${reference} is ${ends.get(reference)}, and ${outcome} is proposed`);
      if (this.contradicted.has(reference))
        this.problems.push(`${day}: ${reference} is proposed, though its rows contradict each other`);
    }
  }

  /** What was proposed and not applied is proposed again. */
  private checkAgain(day: string, { proposals }: DayClose, entries: ReadonlyMap<string, JournalEntry>): void {
    const proposed = new Set(proposals.map(({ reference }) => reference));
    for (const reference of this.unapplied) {
      const isOpen = entries.get(reference)?.outcome === undefined && !this.contradicted.has(reference);
      if (isOpen && !proposed.has(reference)) this.problems.push(`${day}: ${reference} is proposed no more`);
    }
  }

  /** Somebody applies some proposals, explains some exceptions, and finds out about some payments. */
  private async act({ exceptions, proposals }: DayClose): Promise<void> {
    const { reconciliation, journal } = this.shop;
    const applied = proposals.filter(() => this.random.chance(0.7));
    this.proposed = proposals.filter((one) => !applied.includes(one));
    const { refused } = await reconciliation.apply(applied, BY);
    const rest = proposals.filter((one) => one.exception === undefined && !applied.includes(one));
    this.unapplied = new Set(rest.map(({ reference }) => reference));
    for (const { proposal, reason } of refused)
      this.problems.push(`${proposal.reference} was refused: ${reason}`);
    const byId = new Map(exceptions.map((exception) => [exception.id, exception]));
    for (const { exception = '' } of applied) {
      const one = byId.get(exception);
      if (one) this.expected.drop(one.kind, one.reference);
      byId.delete(exception);
    }
    for (const { id, kind, reference, state } of byId.values()) {
      if (state !== 'open' || !this.random.chance(0.2)) continue;
      await reconciliation.explain(id, { note: 'It is known.', ...BY });
      this.expected.explain(kind, reference);
    }
    for (const { reference } of this.place.sandbox.payouts()) {
      const entry = await journal.get('disbursement', reference);
      const end = this.place.sandbox.payouts().find((payout) => payout.reference === reference)?.status;
      const hasFailed = end === 'failed' || end === 'cancelled';
      // No proposal settles what its rows contradict.
      const isLeft = end === 'paid' && this.contradicted.has(reference);
      if ((hasFailed || isLeft) && entry?.outcome === undefined && this.random.chance(0.3)) {
        await journal.settle('disbursement', reference, end);
      }
    }
  }

  private async entries(): Promise<Map<string, JournalEntry>> {
    const entries = new Map<string, JournalEntry>();
    for (const { family, reference } of this.payments.values()) {
      const entry = await this.shop.journal.get(family, reference);
      if (entry) entries.set(reference, entry);
    }
    return entries;
  }

  /** Payouts that failed on this day, of which the journal does not know that. */
  private failedPayouts(from: number, entries: ReadonlyMap<string, JournalEntry>): readonly FailedPayout[] {
    return this.place.sandbox.payouts().flatMap(({ reference, status, amount, settled_at }) => {
      const at = settled_at === null ? 0 : Date.parse(settled_at);
      const isKnown = entries.get(reference)?.outcome !== undefined;
      if (status !== 'failed' || isKnown || at < from || at >= from + DAY) return [];
      // So soon after another attempt began it may be the failure of the one before, and proves nothing.
      if (at - (this.payments.get(reference)?.begunAt ?? 0) < 6 * MINUTE) return [];
      return [{ reference, amount, at: new Date(at).toISOString() }];
    });
  }

  /** Payouts of an earlier day whose end is proposed, and that are open. */
  private contradictable(
    from: number,
    entries: ReadonlyMap<string, JournalEntry>,
  ): readonly (FailedPayout & { readonly isPaid: boolean })[] {
    return this.place.sandbox.payouts().flatMap(({ reference, amount }) => {
      const proposal = this.proposed.find((one) => one.reference === reference);
      const isOpen = entries.get(reference)?.outcome === undefined;
      if (!proposal || !isOpen || (this.payments.get(reference)?.begunAt ?? from) >= from) return [];
      const at = new Date(from + 12 * HOUR).toISOString();
      return [{ reference, amount, at, isPaid: proposal.outcome === 'paid' }];
    });
  }

  private unknownFees(): ReadonlySet<string> {
    return new Set(
      [...this.payments.values()]
        .filter(({ isFeeUnknown }) => isFeeUnknown)
        .map(({ reference }) => reference),
    );
  }

  private movedAt(): Map<string, number> {
    const { sandbox } = this.place;
    return new Map(
      [...sandbox.payments(), ...sandbox.payouts()].flatMap(({ reference, settled_at }) =>
        settled_at === null ? [] : [[reference, Date.parse(settled_at)] as const],
      ),
    );
  }
}
