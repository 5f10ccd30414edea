import { Injectable } from '@nestjs/common';
import { addMoney, compareMoney, formatTzs, WalletService } from 'nestjs-payments';

/** What is to be paid, beside what the wallet holds. */
export interface Cover {
  readonly isEnough: boolean;
  /** For people. */
  readonly text: string;
}

@Injectable()
export class WalletCover {
  constructor(private readonly wallet: WalletService) {}

  /** Fees come on top, and the gateway tells them only in its answers: enough here may still be too little in the end. */
  async of(rows: readonly { readonly amount: string }[]): Promise<Cover> {
    const total = addMoney(...rows.map(({ amount }) => amount));
    const { available_balance: available } = await this.wallet.balance();
    return {
      isEnough: compareMoney(available, total) >= 0,
      text: `To pay: ${rows.length === 1 ? '1 line' : `${rows.length} lines`}, ${formatTzs(total)} without the gateway's fees. In the wallet: ${formatTzs(available)}.`,
    };
  }
}
