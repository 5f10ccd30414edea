import { Injectable } from '@nestjs/common';
import { NameLookupService, PaymentRejectedError } from 'nestjs-payments';
import { type Recipient } from '../salaries/salary-row.js';

/** The holder of an account, or why it is unknown. */
export type Holder = { readonly name: string; readonly network?: string } | { readonly problem: string };

/** Looks up recipients at the gateway. */
@Injectable()
export class RecipientLookup {
  constructor(private readonly names: NameLookupService) {}

  /** @throws PaymentsError if the gateway gives no usable answer. */
  async holderOf(recipient: Recipient): Promise<Holder> {
    try {
      return recipient.kind === 'bank'
        ? await this.ofAccount(recipient.bankCode, recipient.account)
        : await this.ofPhone(recipient.phone);
    } catch (error) {
      if (error instanceof PaymentRejectedError)
        return { problem: `the gateway does not know it (${error.code})` };
      throw error;
    }
  }

  private async ofAccount(bankCode: string, account: string): Promise<Holder> {
    const found = await this.names.lookup({ channel: 'BANK', bank_code: bankCode, account_number: account });
    return { name: found.account_name };
  }

  private async ofPhone(phone: string): Promise<Holder> {
    const found = await this.names.lookup({ channel: 'MOBILE_MONEY', account_number: phone });
    const { network } = found;
    if (typeof network !== 'string')
      return { problem: 'the gateway does not say which network the phone is in' };
    return { name: found.account_name, network };
  }
}
