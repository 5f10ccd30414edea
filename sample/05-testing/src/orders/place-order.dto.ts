import { IsEmail, IsInt, IsNotEmpty, IsString, Matches, Max, Min } from 'class-validator';

export class PlaceOrderDto {
  @IsInt({ message: 'say how many cakes, as a whole number' })
  @Min(1, { message: 'take at least one cake' })
  @Max(20, { message: 'take twenty cakes at most' })
  readonly cakes!: number;

  @Matches(/^255\d{9}$/, { message: 'write the phone number as 255 and nine digits, without a plus sign' })
  readonly phone!: string;

  @IsString()
  @IsNotEmpty({ message: 'write your name' })
  readonly name!: string;

  @IsEmail({}, { message: 'write an e-mail address such as asha@example.com' })
  readonly email!: string;
}
