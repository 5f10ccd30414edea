import {
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Put,
  UseGuards,
} from '@nestjs/common';
import { PaymentsAccounts } from 'nestjs-payments';
import { AdminGuard } from './admin.guard.js';
import { AddMerchantDto, MerchantKeysDto } from './merchant.dto.js';
import { type Merchant, MerchantsTable } from './merchants.table.js';

/** For the people who run the marketplace. No answer holds a key. */
@Controller('merchants')
@UseGuards(AdminGuard)
export class MerchantsController {
  constructor(
    private readonly merchants: MerchantsTable,
    private readonly payments: PaymentsAccounts,
  ) {}

  @Get()
  all(): Promise<readonly Merchant[]> {
    return this.merchants.all();
  }

  @Post()
  async add(@Body() merchant: AddMerchantDto): Promise<{ readonly webhookPath: string }> {
    const { id } = merchant;
    if (!(await this.merchants.add(merchant)))
      throw new ConflictException(`There is a merchant ${id} already.`);
    // Somebody may have asked for it before it was there.
    this.payments.forget(id);
    return { webhookPath: `/webhooks/payments/${id}` };
  }

  /** Write the new keys here first, then revoke the old ones at the gateway: no payment fails meanwhile. */
  @Put(':id/keys')
  @HttpCode(204)
  async rotate(@Param('id') id: string, @Body() keys: MerchantKeysDto): Promise<void> {
    existing(id, await this.merchants.rotate(id, keys));
    // This process uses the new keys from its next call on, other replicas within a minute.
    this.payments.forget(id);
  }

  @Put(':id/disabled')
  @HttpCode(204)
  async disable(@Param('id') id: string): Promise<void> {
    existing(id, await this.merchants.disable(id, true));
  }

  @Put(':id/enabled')
  @HttpCode(204)
  async enable(@Param('id') id: string): Promise<void> {
    existing(id, await this.merchants.disable(id, false));
  }
}

function existing(id: string, exists: boolean): void {
  if (!exists) throw new NotFoundException(`There is no merchant ${id}.`);
}
