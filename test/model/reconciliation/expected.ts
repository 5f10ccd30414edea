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
}

/** What the close of a day is told, and when. */
export interface DayFacts {
  readonly cutOff: number;
  readonly payments: readonly MadePayment[];
  /** As the journal says right before the close. */
  readonly entries: ReadonlyMap<string, JournalEntry>;
  /** The references of the statement's rows, in their order. */
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
  /** The statement proves the outcome of its payment. */
  readonly isProof: boolean;
}

/** Says by what happened, and not by the package's own rules, which exceptions are open after each close. */
export class ExpectedExceptions {
  private open: OpenException[] = [];
  private explained = new Set<string>();
  /** Payments whose row a statement has shown. */
  private readonly shown = new Set<string>();

  get names(): readonly string[] {
    return this.open.map(nameOf).sort();
  }

  /** A person said why it is so. */
  explain(kind: ExceptionKind, reference: string | undefined): void {
    this.drop(kind, reference);
    if (FOUND_AGAIN.has(kind)) this.explained.add(nameOf({ kind, reference }));
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
      ...(facts.hasGap ? [{ kind: 'balance', reference: undefined, isProof: false } as const] : []),
    ];
    const again = new Set(found.map(nameOf));
    this.explained = new Set([...this.explained].filter((name) => again.has(name)));
    const stays = this.open.filter((one) => !FOUND_AGAIN.has(one.kind) && !this.hasEnded(one, facts));
    this.open = [...stays, ...found.filter((one) => !this.explained.has(nameOf(one)))];
  }

  private ofPayment(payment: MadePayment, facts: DayFacts): readonly OpenException[] {
    const { reference } = payment;
    const entry = facts.entries.get(reference);
    const rows = facts.rows.filter((row) => row === reference).length;
    // The close comes hours after the end of its day: a planted row may show a payment that was made since then.
    if (!entry || (rows === 0 && entry.createdAt.getTime() >= facts.cutOff)) return [];
    const isFirst = !this.shown.has(reference);
    const duplicates = Array.from(
      { length: Math.max(0, isFirst ? rows - 1 : rows) },
      () => 'duplicate' as const,
    );
    let kinds: readonly ExceptionKind[] = [];
    if (isFirst) kinds = rows > 0 ? shownKinds(payment, entry, facts) : hiddenKinds(entry, facts);
    if (rows > 0 && !hasFailed(entry)) this.shown.add(reference);
    const isProof = !kinds.includes('amount');
    return [...kinds, ...duplicates].map((kind) => ({ kind, reference, isProof }));
  }

  /** The journal holds what the statement proved. */
  private hasEnded({ kind, reference, isProof }: OpenException, { entries }: DayFacts): boolean {
    if (kind !== 'proven' || !isProof || reference === undefined) return false;
    const outcome = entries.get(reference)?.outcome;
    return outcome === 'success' || outcome === 'paid';
  }
}

/** The statement shows the payment for the first time. */
function shownKinds(payment: MadePayment, entry: JournalEntry, facts: DayFacts): readonly ExceptionKind[] {
  const { reference } = payment;
  const planted = (kind: Plant['kind']): boolean =>
    facts.plants.some((plant) => plant.kind === kind && plant.reference === reference);
  const isLate = (facts.movedAt.get(reference) ?? 0) - entry.createdAt.getTime() > DAY;
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

/** No statement has shown the payment. */
function hiddenKinds(entry: JournalEntry, { cutOff }: DayFacts): readonly ExceptionKind[] {
  if (hasFailed(entry)) return [];
  const ageMs = cutOff - entry.createdAt.getTime();
  if (entry.outcome !== undefined) return cutOff - entry.updatedAt.getTime() < HOUR ? [] : ['missing-there'];
  if (entry.state === 'accepted') return ageMs < DAY ? [] : ['unproven'];
  return ageMs < HOUR ? [] : ['unknown'];
}

function hasFailed({ state, outcome }: JournalEntry): boolean {
  return state === 'rejected' || (outcome !== undefined && outcome !== 'success' && outcome !== 'paid');
}

function stranger({ reference }: Plant): OpenException {
  return { kind: 'missing-here', reference, isProof: false };
}

function nameOf({ kind, reference }: Pick<OpenException, 'kind' | 'reference'>): string {
  return `${kind} ${reference}`;
}
