import { Transform } from 'class-transformer';
import { IsEmail, IsNotEmpty, IsString, IsUUID, Matches } from 'class-validator';
import { normalizeTzPhone } from 'nestjs-payments';

export class PlaceOrderDto {
  /** Made by the page, before it sends the order. Sent again, it is the same order. */
  @IsUUID(undefined, { message: 'load the page again' })
  readonly checkout!: string;

  /** Its price is on the server. */
  @IsString()
  @IsNotEmpty({ message: 'choose a product' })
  readonly product!: string;

  @Transform(({ value }: { readonly value: unknown }): unknown => normalizeTzPhone(value) ?? value)
  @Matches(/^255\d{9}$/, { message: 'write a Tanzanian mobile number such as 0712 345 678' })
  readonly phone!: string;

  /** Not blank: the package would refuse it, after the order is written down. */
  @Matches(/\S/, { message: 'write your name' })
  readonly name!: string;

  @IsEmail({}, { message: 'write an e-mail address such as asha@example.com' })
  readonly email!: string;
}
