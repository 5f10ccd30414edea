import { Injectable } from '@nestjs/common';
import { DisbursementsService } from 'nestjs-payments';
import { paymentReference } from '../salaries/names.rule.js';
import { type ApprovedLine } from './approved-lines.js';
import { type Judgement, judgeError } from './judge-error.js';
import { type LineResult, NOT_SENT } from './line-state.js';

/** Sends one line, under the same reference in every repetition of the run. */
@Injectable()
export class LinePayer {
  constructor(private readonly disbursements: DisbursementsService) {}

  /**
   * Calls an unknown line again, unchanged: the package probes it with the same key when that is due. Nothing
   * else resolves it.
   *
   * @param before The earlier result of the line.
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
