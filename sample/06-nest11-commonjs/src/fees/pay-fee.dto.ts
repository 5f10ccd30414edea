import { IsEmail, IsNotEmpty, IsString } from 'class-validator';

export class PayFeeDto {
  @IsString()
  @IsNotEmpty()
  pupil: string;

  /** The paying parent's phone: `255` and nine digits. */
  @IsString()
  phone: string;

  @IsString()
  @IsNotEmpty()
  parent: string;

  @IsEmail()
  email: string;
}
