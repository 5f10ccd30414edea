/** A payment that may explain a gap. */
export interface GapCandidate {
  /** Names the payment. */
  readonly id: string;
  /** What it changes the balance by if it moved, in cents: negative for a payout. */
  readonly cents: number;
}

/** Candidates that were picked, the last one first. */
interface Picked {
  readonly candidate: GapCandidate;
  readonly before: Ways;
}

/** How candidates give a sum: by picking none, in one way, or in more. */
type Ways = 'none' | 'many' | Picked;

interface Range {
  least: number;
  most: number;
}

/** A few tenths of a second. Two halves of 17 candidates each need 2^18 - 2 additions. */
const MOST_ADDITIONS = 2 ** 18;

/**
 * The payments that explain a gap of the balance, if they are the only ones that do: their cents add up to the gap exactly, and those
 * of no other set of candidates do. For a gap of 0 it may be the empty set.
 *
 * 34 candidates are always few enough to decide it. More are if most of them are larger than the gap, or many of their sums are equal.
 *
 * @param gap In cents: negative if money is missing.
 * @returns Their ids, in the order of the candidates; undefined if no set or more than one explains the gap, or if it takes more than
 * 262,144 additions to find out.
 */
export function explainGap(gap: number, candidates: readonly GapCandidate[]): readonly string[] | undefined {
  if (candidates.length > MOST_ADDITIONS || !isExact(gap, candidates)) return undefined;
  // The largest first, because they soon leave few sums from which the others can still reach the gap.
  const bySize = candidates.toSorted((one, other) => Math.abs(other.cents) - Math.abs(one.cents));
  const first = bySize.filter((_, index) => index % 2 === 0);
  const second = bySize.filter((_, index) => index % 2 === 1);
  const work = { left: MOST_ADDITIONS };
  const some = sumsOf(first, rangeOf(second), gap, work);
  const others = some && sumsOf(second, rangeOf(first), gap, work);
  if (!some || !others) return undefined;
  const picked = onlyPair(some, others, gap);
  return picked && candidates.filter((candidate) => picked.has(candidate)).map(({ id }) => id);
}

/** Sums beyond the safe integers are not exact, so nothing could be said of them. */
function isExact(gap: number, candidates: readonly GapCandidate[]): boolean {
  const most = candidates.reduce((sum, { cents }) => sum + Math.abs(cents), Math.abs(gap));
  return Number.isSafeInteger(most);
}

/** Between which sums the sums of all sets are. */
function rangeOf(candidates: readonly GapCandidate[]): Range {
  const range = { least: 0, most: 0 };
  for (const { cents } of candidates) {
    if (cents < 0) range.least += cents;
    else range.most += cents;
  }
  return range;
}

/**
 * The sums of all sets of candidates from which the other candidates can still reach the gap, each with its ways; undefined if that
 * is too much work.
 */
function sumsOf(
  candidates: readonly GapCandidate[],
  others: Range,
  gap: number,
  work: { left: number },
): ReadonlyMap<number, Ways> | undefined {
  const own = rangeOf(candidates);
  const rest = { least: own.least + others.least, most: own.most + others.most };
  let sums = new Map<number, Ways>([[0, 'none']]);
  for (const candidate of candidates) {
    work.left -= sums.size;
    if (work.left < 0) return undefined;
    if (candidate.cents < 0) rest.least -= candidate.cents;
    else rest.most -= candidate.cents;
    const longer = new Map<number, Ways>();
    const note = (sum: number, ways: Ways): void => {
      const missing = gap - sum;
      if (missing >= rest.least && missing <= rest.most) longer.set(sum, longer.has(sum) ? 'many' : ways);
    };
    for (const [sum, ways] of sums) {
      note(sum, ways);
      note(sum + candidate.cents, ways === 'many' ? ways : { candidate, before: ways });
    }
    sums = longer;
  }
  return sums;
}

/** The candidates of the only pair of sets whose sums add up to the gap; undefined if there is none, or another one. */
function onlyPair(
  some: ReadonlyMap<number, Ways>,
  others: ReadonlyMap<number, Ways>,
  gap: number,
): ReadonlySet<GapCandidate> | undefined {
  let only: readonly Ways[] | undefined;
  for (const [sum, ways] of some) {
    const rest = others.get(gap - sum);
    if (rest === undefined) continue;
    if (only || ways === 'many' || rest === 'many') return undefined;
    only = [ways, rest];
  }
  return only && new Set(only.flatMap(pickedIn));
}

function pickedIn(ways: Ways): readonly GapCandidate[] {
  const picked: GapCandidate[] = [];
  for (let each = ways; typeof each === 'object'; each = each.before) picked.push(each.candidate);
  return picked;
}
