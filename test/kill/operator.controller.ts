import { Controller, HttpCode, Post, Query, ServiceUnavailableException } from '@nestjs/common';
import { isPaymentsError, PaymentsInbox } from 'nestjs-payments';

/** What an operator does to the inbox, by way of whichever replica is there. */
@Controller('operator')
export class OperatorController {
  constructor(private readonly inbox: PaymentsInbox) {}

  /** 200: its handlers have run, now or before. */
  @Post('release')
  @HttpCode(200)
  async release(@Query('id') id: string): Promise<void> {
    await this.inbox.release(id).catch((error: unknown) => {
      if (isPaymentsError(error) && error.code === 'CONFLICT_NOT_FOUND') return;
      throw new ServiceUnavailableException();
    });
  }

  @Post('purge')
  @HttpCode(200)
  async purge(): Promise<void> {
    await this.inbox.purge().catch(() => {
      throw new ServiceUnavailableException();
    });
  }
}
