import { NotFoundException, type PipeTransform } from '@nestjs/common';
import { isOrderNumber } from './order-number.js';

/** Accepts only order numbers. */
export class OrderNumberPipe implements PipeTransform<string, string> {
  transform(number: string): string {
    if (isOrderNumber(number)) return number;
    throw new NotFoundException('There is no such order.');
  }
}
