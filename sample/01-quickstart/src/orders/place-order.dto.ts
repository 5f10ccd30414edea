import { randomUUID } from 'node:crypto';
import { Transform } from 'class-transformer';
import { IsEmail, IsIn, IsUUID, Matches } from 'class-validator';
import { normalizeTzPhone } from 'nestjs-payments';
import { type PaymentMethod } from './order.js';
import { PRODUCTS } from './products.js';

/** Visible text, without control characters. */
const ONE_LINE = /^(?=.*\S)[^\p{Cc}\p{Cs}]+$/u;

export class PlaceOrderDto {
  /**
   * Made by the page. Sent again, it is the same order, and refused if anything else differs. A request without one is
   * always a new order.
   */
  @IsUUID(undefined, { message: 'load the page again' })
  readonly checkout: string = randomUUID();

  @IsIn(PRODUCTS.map(({ id }) => id), { message: 'choose one of the products' })
  readonly product!: string;

  @IsIn(['mobile-money', 'partner-wallet'], { message: 'choose mobile-money or partner-wallet' })
  readonly method!: PaymentMethod;

  /** However the customer writes it: `0712 345 678`. What cannot be read stays, and is refused. */
  @Transform(({ value }: { readonly value: unknown }): unknown => normalizeTzPhone(value) ?? value)
  @Matches(/^255\d{9}$/, { message: 'write a Tanzanian mobile number such as 0712 345 678' })
  readonly phone!: string;

  @Matches(ONE_LINE, { message: 'write your name' })
  readonly name!: string;

  @IsEmail({}, { message: 'write an e-mail address such as asha@example.com' })
  readonly email!: string;
}
