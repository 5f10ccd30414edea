import { IsEmail, IsIn, IsNotEmpty, IsString, Matches } from 'class-validator';
import { type PaymentMethod } from './order.js';
import { PRODUCTS } from './products.js';

export class PlaceOrderDto {
  @IsIn(PRODUCTS.map(({ id }) => id), { message: 'choose one of the products' })
  readonly product!: string;

  @IsIn(['mobile-money', 'partner-wallet'], { message: 'choose mobile-money or partner-wallet' })
  readonly method!: PaymentMethod;

  @Matches(/^255\d{9}$/, { message: 'write the phone number as 255 and nine digits, without a plus sign' })
  readonly phone!: string;

  @IsString()
  @IsNotEmpty({ message: 'write your name' })
  readonly name!: string;

  @IsEmail({}, { message: 'write an e-mail address such as asha@example.com' })
  readonly email!: string;
}
