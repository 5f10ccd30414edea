import { IsEmail, IsInt, IsNotEmpty, IsString, Matches, Max, Min } from 'class-validator';

export class PlaceOrderDto {
  @IsString()
  readonly product!: string;

  @IsInt()
  @Min(1)
  @Max(20)
  readonly quantity!: number;

  @Matches(/^255\d{9}$/, { message: 'write the phone number as 255 and nine digits, without a plus sign' })
  readonly phone!: string;

  @IsString()
  @IsNotEmpty({ message: 'write your name' })
  readonly name!: string;

  @IsEmail({}, { message: 'write an e-mail address such as asha@example.com' })
  readonly email!: string;
}
