import { IsEmail, IsNotEmpty, IsString } from 'class-validator';

export class PayFeeDto {
  @IsString()
  @IsNotEmpty()
  pupil: string;

  /** Of the parent who pays: `255` and nine digits. */
  @IsString()
  phone: string;

  @IsString()
  @IsNotEmpty()
  parent: string;

  @IsEmail()
  email: string;
}
