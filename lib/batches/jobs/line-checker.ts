import { type PaymentsAccount } from '../../accounts/account.js';
import { GatewayAnswerError, PaymentRejectedError } from '../../errors/payments-errors.js';
import {
  type BatchLine,
  type LineChange,
  type LineState,
  type SameRecipient,
} from '../../storage/batch-store.js';
import { type LineProblem, type LineResult, resultOf } from '../batch/line-result.js';
import { lineFrom, type ReadLine } from '../lines/payout-line.js';
import { compareNames } from '../names/compare-names.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';
import { nameNeedsWord } from '../policy/name-rule.js';
import { AND, isNamed, sameRecipientText } from './same-recipients.js';

/** What the check of a line found. */
type Found = Pick<LineResult, 'holder' | 'match' | 'network'> &
  Required<Pick<LineResult, 'problems' | 'detail'>>;

/** What is written of a line after its check. */
interface CheckedLine {
  /** Absent: nothing is to be written. */
  readonly change?: LineChange;
  /** The gateway gave no usable answer about the recipient: the line keeps its state, and is to be checked again. */
  readonly isOpen: boolean;
}

/** One recipient that the gateway stumbles over must not hold up all others. */
const MOST_LOOKUPS = 3;

/** Checks the lines of a batch at the gateway: bank, holder, name, and who else gets money. */
export class LineChecker {
  private banks: Promise<ReadonlySet<string>> | undefined;

  constructor(
    private readonly services: Pick<PaymentsAccount, 'banks' | 'nameLookup'>,
    private readonly policy: ResolvedBatchPolicy,
  ) {}

  /**
   * @param same The other lines with the recipient of this one.
   * @param at The time, and the round of the batch.
   * @throws PaymentsError if the gateway is away, refuses the keys, or gives no list of banks.
   */
  async check(
    line: BatchLine,
    from: LineState,
    same: readonly SameRecipient[],
    { now, round }: { readonly now: number; readonly round: number },
  ): Promise<CheckedLine> {
    const changed = (to: LineState, result: LineResult): LineChange => ({
      number: line.number,
      from: [from],
      to,
      result: JSON.stringify(result),
    });
    const found = await this.find(lineFrom(line.content), same);
    const isUnanswered = found.problems.includes('lookup');
    // A line that is about to be paid is never blocked because the gateway was away: nobody could unblock it then.
    if (isUnanswered && from === 'checked') return { isOpen: true };
    const before = resultOf(line.result);
    const { word, failedLookups = 0 } = before;
    if (isUnanswered && failedLookups + 1 < MOST_LOOKUPS) {
      const result: LineResult = { ...before, failedLookups: failedLookups + 1 };
      return { change: changed(from, result), isOpen: true };
    }
    // Another holder, or a further finding, needs another word.
    const isAccepted =
      word?.holder === found.holder && found.detail.split(AND).every((finding) => isNamed(finding, word));
    const unansweredIn = isUnanswered ? round : undefined;
    const result: LineResult = { checkedAt: now, ...found, unansweredIn, ...(isAccepted && { word }) };
    const to = found.problems.length === 0 || isAccepted ? 'checked' : 'blocked';
    return { change: changed(to, result), isOpen: false };
  }

  private async find(
    { name, recipient }: Pick<ReadLine, 'name' | 'recipient'>,
    same: readonly SameRecipient[],
  ): Promise<Found> {
    if (recipient.kind === 'bank' && !(await this.knownBanks()).has(recipient.bankCode)) {
      return { problems: ['bank'], detail: 'the gateway lists no such bank' };
    }
    const held = await this.holderOf(recipient);
    if ('problems' in held) return held;
    const match = compareNames(name, held.holder);
    const found: readonly (readonly [LineProblem, string])[] = [
      ...(nameNeedsWord(match, this.policy) ? [['name', `the name is ${match}`] as const] : []),
      ...same.map((other) => ['same-recipient', sameRecipientText(other)] as const),
    ];
    const problems = [...new Set(found.map(([problem]) => problem))];
    return { ...held, match, problems, detail: found.map(([, detail]) => detail).join(AND) };
  }

  private async holderOf(
    recipient: ReadLine['recipient'],
  ): Promise<
    (Pick<LineResult, 'network'> & { readonly holder: string }) | Pick<Found, 'problems' | 'detail'>
  > {
    const { nameLookup } = this.services;
    try {
      if (recipient.kind === 'bank') {
        const { bankCode: bank_code, account: account_number } = recipient;
        const found = await nameLookup.lookup({ channel: 'BANK', bank_code, account_number });
        return { holder: found.account_name };
      }
      const found = await nameLookup.lookup({ channel: 'MOBILE_MONEY', account_number: recipient.phone });
      // The answer may have less than the specification says.
      const { network } = found as { readonly network?: unknown };
      if (typeof network === 'string') return { holder: found.account_name, network };
      return { problems: ['recipient'], detail: 'the gateway does not say which network the phone is in' };
    } catch (error) {
      if (error instanceof GatewayAnswerError) {
        return { problems: ['lookup'], detail: 'the gateway gave no usable answer about the recipient' };
      }
      if (!(error instanceof PaymentRejectedError)) throw error;
      return { problems: ['recipient'], detail: `the gateway does not know the recipient (${error.code})` };
    }
  }

  private async knownBanks(): Promise<ReadonlySet<string>> {
    this.banks ??= this.services.banks.list().then((banks) => new Set(banks.map(({ code }) => code)));
    return this.banks;
  }
}
