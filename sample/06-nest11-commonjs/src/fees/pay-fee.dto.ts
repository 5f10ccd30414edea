import { Transform } from 'class-transformer';
import { IsEmail, IsNotEmpty, IsString } from 'class-validator';
import { normalizeTzPhone } from 'nestjs-payments';

export class PayFeeDto {
  @IsString()
  @IsNotEmpty()
  pupil: string;

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
