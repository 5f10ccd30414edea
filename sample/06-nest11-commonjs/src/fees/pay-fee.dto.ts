import { Transform } from 'class-transformer';
import { IsEmail, IsNotEmpty, IsString, Matches } from 'class-validator';
import { normalizeTzPhone } from 'nestjs-payments';

export class PayFeeDto {
  /** The number in the school's register. */
  @Matches(/^[A-Z]\d{1,8}$/)
  pupil: string;

  @Matches(/^\d{4}-[123]$/)
  term: string;

  /** The paying parent's phone, as people write it: `0712 345 678`. */
  @Transform(
    ({ value }: { value: unknown }): unknown =>
      normalizeTzPhone(value) ?? value,
  )
  @IsString()
  phone: string;

  @IsString()
  @IsNotEmpty()
  parent: string;

  @IsEmail()
  email: string;
}
