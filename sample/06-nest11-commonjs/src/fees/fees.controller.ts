import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import { PaymentsErrorInterceptor } from 'nestjs-payments';
import { feeView, type FeeView } from './fee';
import { FeesService } from './fees.service';
import { PayFeeDto } from './pay-fee.dto';

@Controller('fees')
@UseInterceptors(PaymentsErrorInterceptor)
export class FeesController {
  constructor(private readonly fees: FeesService) {}

  /** 202: the parent still has to confirm on the phone. */
  @Post()
  @HttpCode(202)
  async pay(@Body() request: PayFeeDto): Promise<FeeView> {
    return feeView(await this.fees.pay(request));
  }

  @Get(':reference')
  find(@Param('reference') reference: string): FeeView {
    const fee = this.fees.find(reference);
    if (!fee) throw new NotFoundException(`There is no fee ${reference}.`);
    return feeView(fee);
  }
}
