import { Transform } from 'class-transformer';
import { IsEmail, IsOptional, IsUUID, Matches, MaxLength } from 'class-validator';
import { normalizeTzPhone } from 'nestjs-payments';

/** Visible text, without characters that PostgreSQL refuses or a terminal obeys. */
const ONE_LINE = /^(?=.*\S)[^\p{Cc}\p{Cs}]+$/u;
const PRODUCT_ID = /^[a-z0-9-]+$/;
/** The form that `normalizeTzPhone` returns. */
const TZ_PHONE = /^255\d{9}$/;
const WRITE_PHONE = { message: 'write a Tanzanian mobile number such as 0712 345 678' };
/** Leaves an unreadable number unchanged, so that the validation names it. */
const readPhone = ({ value }: { readonly value: unknown }): unknown => normalizeTzPhone(value) ?? value;

export class PlaceOrderDto {
  @IsUUID(undefined, { message: 'load the page again' })
  readonly checkout!: string;

  @Matches(PRODUCT_ID, { message: 'choose one of the products' })
  readonly product!: string;

  @Matches(ONE_LINE, { message: 'write your name' })
  @MaxLength(100)
  readonly name!: string;

  @Transform(readPhone)
  @Matches(TZ_PHONE, WRITE_PHONE)
  readonly phone!: string;

  @IsEmail({}, { message: 'write an e-mail address such as asha@example.com' })
  readonly email!: string;
}

export class PayAgainDto {
  /** A new phone number for this try. */
  @IsOptional()
  @Transform(readPhone)
  @Matches(TZ_PHONE, WRITE_PHONE)
  readonly phone?: string;
}
