import { Body, Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { PayoutBatches } from 'nestjs-payments/batches';
import { Person, SignedInGuard } from '../people/signed-in.guard.js';
import { AcceptDto, SettleDto } from './batch.dto.js';
import { type BatchView, viewOf } from './batch-view.js';

/** What a person decides about single lines. */
@Controller('batches/:batch')
@UseGuards(SignedInGuard)
export class LinesController {
  constructor(private readonly batches: PayoutBatches) {}

  /** Blocked lines are paid, because somebody says why. */
  @Post('accept')
  @HttpCode(200)
  async accept(
    @Param('batch') name: string,
    @Person() by: string,
    @Body() { keys, because }: AcceptDto,
  ): Promise<BatchView> {
    const batch = await this.batches.open(name);
    await batch.accept(keys, { by, because });
    return viewOf(batch);
  }

  /** Asks the gateway about unknown lines, with the same key and the same bytes. */
  @Post('ask-again')
  @HttpCode(200)
  async askAgain(@Param('batch') name: string): Promise<BatchView> {
    const batch = await this.batches.open(name);
    await batch.askAgain();
    return viewOf(batch);
  }

  /** How a line ended, as the gateway's support says. */
  @Post('lines/:key/settle')
  @HttpCode(200)
  async settle(
    @Param('batch') name: string,
    @Param('key') key: string,
    @Person() by: string,
    @Body() { outcome }: SettleDto,
  ): Promise<BatchView> {
    const batch = await this.batches.open(name);
    await batch.settle(key, outcome, { by });
    return viewOf(batch);
  }
}
