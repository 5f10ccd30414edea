import { Injectable } from '@nestjs/common';
import { DisbursementsService } from 'nestjs-payments';
import { paymentReference } from '../salaries/names.rule.js';
import { type ApprovedLine } from './approved-lines.js';
import { type Judgement, judgeError } from './judge-error.js';
import { type LineResult, NOT_SENT } from './line-state.js';

/** Sends one line, under a reference that is its own however often the run begins anew. */
@Injectable()
export class LinePayer {
  constructor(private readonly disbursements: DisbursementsService) {}

  /**
   * A line that is unknown is called again as it was: the package sends it once more with the same key where that is due, and
   * nothing else takes it out of the unknown.
   *
   * @param before What was known of the line.
   */
  async pay(run: string, line: ApprovedLine, before: LineResult = NOT_SENT): Promise<Judgement> {
    try {
      await this.send(run, line);
      return { result: { state: 'accepted', detail: '' } };
    } catch (error) {
      const judgement = judgeError(error);
      return before.state === 'unknown' && judgement.result.state !== 'unknown'
        ? { ...judgement, result: before }
        : judgement;
    }
  }

  private async send(run: string, { row, checked }: ApprovedLine): Promise<void> {
    const { recipient, amount, remarks = `Salary ${run}` } = row;
    const payment = { reference: paymentReference(run, row.reference), amount, remarks };
    if (recipient.kind === 'bank') {
      const { bankCode: bank_code, account: account_number } = recipient;
      await this.disbursements.bank({ ...payment, bank_code, account_number, account_name: checked.holder });
      return;
    }
    await this.disbursements.mobileMoney({
      ...payment,
      recipient_phone: recipient.phone,
      recipient_name: checked.holder,
      network: checked.network ?? '',
    });
  }
}
