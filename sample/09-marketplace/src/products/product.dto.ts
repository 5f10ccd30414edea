import { Matches } from 'class-validator';

export class ProductDto {
  @Matches(/^[1-9]\d{0,9}\.\d{2}$/, { message: 'write a price with two decimals, such as 12000.00' })
  readonly price!: string;
}
