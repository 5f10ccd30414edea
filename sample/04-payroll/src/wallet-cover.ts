import { Injectable } from '@nestjs/common';
import { addMoney, compareMoney, formatTzs, WalletService } from 'nestjs-payments';

/** The total to pay, compared with the wallet. */
export interface Cover {
  readonly isEnough: boolean;
  /** For people. */
  readonly text: string;
}

/** The whole run, the same before and after every start of it. */
export function runTotal(run: string, rows: readonly { readonly amount: string }[]): string {
  return `The run ${run}: ${linesText(rows)}, ${sumText(rows)} in all.`;
}

@Injectable()
export class WalletCover {
  constructor(private readonly wallet: WalletService) {}

  /**
   * The gateway adds fees, which only its answers show: a sufficient wallet may still be too small in the
   * end.
   */
  async of(rows: readonly { readonly amount: string }[]): Promise<Cover> {
    const total = addMoney(...rows.map(({ amount }) => amount));
    const { available_balance: available } = await this.wallet.balance();
    return {
      isEnough: compareMoney(available, total) >= 0,
      text: `To pay: ${linesText(rows)}, ${formatTzs(total)} without the gateway's fees. In the wallet: ${formatTzs(available)}.`,
    };
  }
}

function linesText({ length }: readonly unknown[]): string {
  return length === 1 ? '1 line' : `${length} lines`;
}

function sumText(rows: readonly { readonly amount: string }[]): string {
  return formatTzs(addMoney(...rows.map(({ amount }) => amount)));
}
