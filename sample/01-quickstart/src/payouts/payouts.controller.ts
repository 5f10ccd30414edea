import { Body, Controller, Get, Param, Post, UseGuards } from '@nestjs/common';
import { type Bank, BanksService, formatTzs, WalletService } from 'nestjs-payments';
import { OfficeGuard } from './office.guard.js';
import { type Payout } from './payout.js';
import { PayoutsService } from './payouts.service.js';
import { PreparePayoutDto } from './prepare-payout.dto.js';

/** The shop's back office. It sends money, so it admits only who knows the password. */
@Controller('office')
@UseGuards(OfficeGuard)
export class PayoutsController {
  constructor(
    private readonly payouts: PayoutsService,
    private readonly bankList: BanksService,
    private readonly wallet: WalletService,
  ) {}

  @Get('balance')
  async balance() {
    const { balance, available_balance } = await this.wallet.balance();
    return { balance, available_balance, available_text: formatTzs(available_balance) };
  }

  @Get('banks')
  banks(): Promise<Bank[]> {
    return this.bankList.list();
  }

  @Post('payouts')
  prepare(@Body() request: PreparePayoutDto): Promise<Payout> {
    return this.payouts.prepare(request);
  }

  @Post('payouts/:reference/confirm')
  confirm(@Param('reference') reference: string): Promise<Payout> {
    return this.payouts.confirm(reference);
  }
}
