import { type JournalEntry } from 'nestjs-payments';
import { type ExceptionKind } from 'nestjs-payments/reconciliation';
import { type Plant } from './plants.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FOUND_AGAIN: ReadonlySet<ExceptionKind> = new Set(['missing-there', 'unknown', 'unproven']);

/** A payment as the story made it. */
export interface MadePayment {
  readonly family: 'collection' | 'disbursement';
  readonly reference: string;
  /** Its answer was lost, so that nobody here knows the fee. */
  readonly isFeeUnknown: boolean;
  /** When it was tried last. */
  readonly begunAt: number;
}

/** What the close of a day is told, and when. */
export interface DayFacts {
  readonly from: number;
  readonly cutOff: number;
  /** When the balance was asked for. */
  readonly readAt: number;
  readonly hasStatement: boolean;
  readonly payments: readonly MadePayment[];
  /** As the journal says right before the close. */
  readonly entries: ReadonlyMap<string, JournalEntry>;
  /** The references of the statement's rows that moved money, in their order. */
  readonly rows: readonly string[];
  /** When the gateway says that a payment moved. */
  readonly movedAt: ReadonlyMap<string, number>;
  readonly plants: readonly Plant[];
  /** Money left without a payment. */
  readonly hasGap: boolean;
}

interface OpenException {
  readonly kind: ExceptionKind;
  readonly reference: string | undefined;
  /** It ends when the journal holds how its payment ended. */
  readonly isOverByOutcome: boolean;
}

/** Says by what happened, and not by the package's own rules, which exceptions are open after each close. */
export class ExpectedExceptions {
  private open: OpenException[] = [];
  private explained = new Map<string, Pick<OpenException, 'kind' | 'reference'>>();
  /** Payments whose row a statement has shown. */
  private readonly shown = new Set<string>();
  /** Payments that were open, or that a statement should have shown, at the close before. */
  private left = new Set<string>();
  /** Those of them that a statement should have shown. */
  private awaited = new Set<string>();

  get names(): readonly string[] {
    return this.open.map(nameOf).sort();
  }

  /** A person said why it is so. */
  explain(kind: ExceptionKind, reference: string | undefined): void {
    this.drop(kind, reference);
    if (FOUND_AGAIN.has(kind)) this.explained.set(nameOf({ kind, reference }), { kind, reference });
  }

  /** Its proposal was applied. */
  drop(kind: ExceptionKind, reference: string | undefined): void {
    const at = this.open.findIndex((one) => one.kind === kind && one.reference === reference);
    if (at >= 0) this.open.splice(at, 1);
  }

  close(facts: DayFacts): void {
    const found = [
      ...facts.payments.flatMap((payment) => this.ofPayment(payment, facts)),
      ...facts.plants.filter(({ kind }) => kind === 'missing-here').map(stranger),
      ...(facts.hasGap ? [{ kind: 'balance', reference: undefined, isOverByOutcome: false } as const] : []),
    ];
    const again = new Set(found.map(nameOf));
    const waits = (one: Pick<OpenException, 'kind' | 'reference'>): boolean => waitsForStatement(one, facts);
    this.explained = new Map([...this.explained].filter(([name, one]) => again.has(name) || waits(one)));
    const stays = this.open.filter((one) =>
      FOUND_AGAIN.has(one.kind) ? waits(one) && !again.has(nameOf(one)) : !this.hasEnded(one, facts),
    );
    this.left = new Set(
      facts.payments.filter((payment) => this.isLeft(payment, facts)).map(({ reference }) => reference),
    );
    this.awaited = new Set(
      [...this.left].filter(
        (name) =>
          facts.entries.get(name)?.outcome !== undefined && (facts.hasStatement || this.awaited.has(name)),
      ),
    );
    this.open = [...stays, ...found.filter((one) => !this.explained.has(nameOf(one)))];
  }

  private ofPayment(payment: MadePayment, facts: DayFacts): readonly OpenException[] {
    const { reference } = payment;
    const entry = facts.entries.get(reference);
    const rows = facts.rows.filter((row) => row === reference).length;
    // The close comes hours after the end of its day: a planted row may show a payment that was made since then.
    const planted = (kind: Plant['kind']): boolean =>
      facts.plants.some((plant) => plant.kind === kind && plant.reference === reference);
    if (planted('contradicted')) return [{ kind: 'status', reference, isOverByOutcome: true }];
    if (planted('told failed') && entry && !this.shown.has(reference)) {
      this.shown.add(reference);
      return [{ kind: 'proven', reference, isOverByOutcome: true }];
    }
    if (!entry || (rows === 0 && payment.begunAt >= facts.cutOff)) return [];
    const isFirst = !this.shown.has(reference);
    const duplicates = Array.from(
      { length: Math.max(0, isFirst ? rows - 1 : rows) },
      () => 'duplicate' as const,
    );
    let kinds: readonly ExceptionKind[] = [];
    if (isFirst)
      kinds = rows > 0 ? shownKinds(payment, entry, facts) : this.hiddenKinds(payment, entry, facts);
    if (rows > 0 && !hasFailed(entry)) this.shown.add(reference);
    const isTakenBack = planted('taken back') || planted('reversed');
    if (isTakenBack) kinds = [...kinds, 'status'];
    const isProof = !kinds.includes('amount') && !isTakenBack;
    // Two rows that contradict each other leave it to the journal, unless it holds the outcome already.
    const isLeft = isTakenBack && entry.outcome === undefined;
    return [...kinds, ...duplicates].map((kind) => ({
      kind,
      reference,
      isOverByOutcome: (kind === 'proven' && isProof) || (kind === 'status' && isLeft),
    }));
  }

  private hasEnded({ reference, isOverByOutcome }: OpenException, { entries }: DayFacts): boolean {
    if (!isOverByOutcome || reference === undefined) return false;
    return entries.get(reference)?.outcome !== undefined;
  }

  /** No statement has shown the payment. */
  private hiddenKinds(
    payment: MadePayment,
    entry: JournalEntry,
    { from, cutOff, hasStatement }: DayFacts,
  ): readonly ExceptionKind[] {
    if (hasFailed(entry)) return [];
    const { reference, begunAt, family } = payment;
    const ageMs = cutOff - begunAt;
    if (entry.outcome !== undefined) {
      // Of a day without a statement, no statement will show what moved on it.
      const isAwaited = hasStatement && (begunAt >= from || this.left.has(reference));
      return !isAwaited || cutOff - entry.updatedAt.getTime() < HOUR ? [] : ['missing-there'];
    }
    if (entry.state === 'accepted')
      return ageMs < DAY || (family === 'disbursement' && !hasStatement) ? [] : ['unproven'];
    return ageMs < HOUR ? [] : ['unknown'];
  }

  /** The next close looks at it again. */
  private isLeft({ reference, begunAt }: MadePayment, facts: DayFacts): boolean {
    const entry = facts.entries.get(reference);
    if (!entry || hasFailed(entry) || this.shown.has(reference) || begunAt >= facts.cutOff) return false;
    if (entry.outcome === undefined || entry.updatedAt.getTime() >= facts.readAt) return true;
    const isAwaited = begunAt >= facts.from || this.left.has(reference);
    return isAwaited && (facts.hasStatement || this.awaited.has(reference));
  }
}

/** Only a statement ends it, and this day has none. */
function waitsForStatement(
  { kind, reference = '' }: Pick<OpenException, 'kind' | 'reference'>,
  { hasStatement, entries }: DayFacts,
): boolean {
  const entry = entries.get(reference);
  if (hasStatement || !entry || hasFailed(entry)) return false;
  if (kind === 'missing-there') return entry.outcome !== undefined;
  return kind === 'unproven' && entry.family === 'disbursement' && entry.outcome === undefined;
}

/** The statement shows the payment for the first time. */
function shownKinds(payment: MadePayment, entry: JournalEntry, facts: DayFacts): readonly ExceptionKind[] {
  const { reference } = payment;
  const planted = (kind: Plant['kind']): boolean =>
    facts.plants.some((plant) => plant.kind === kind && plant.reference === reference);
  const isLate = (facts.movedAt.get(reference) ?? 0) - payment.begunAt > DAY;
  if (hasFailed(entry)) return ['status'];
  const isKnown =
    entry.outcome !== undefined || (entry.state === 'accepted' && payment.family === 'disbursement');
  return [
    ...(isKnown ? [] : (['proven'] as const)),
    ...(planted('amount') ? (['amount'] as const) : []),
    ...(planted('fee') ? (['fee'] as const) : []),
    ...(isLate ? (['late'] as const) : []),
  ];
}

function hasFailed({ state, outcome }: JournalEntry): boolean {
  return state === 'rejected' || (outcome !== undefined && outcome !== 'success' && outcome !== 'paid');
}

function stranger({ reference }: Plant): OpenException {
  return { kind: 'missing-here', reference, isOverByOutcome: false };
}

function nameOf({ kind, reference }: Pick<OpenException, 'kind' | 'reference'>): string {
  return `${kind} ${reference}`;
}
