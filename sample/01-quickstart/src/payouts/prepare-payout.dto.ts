import { IsNotEmpty, IsString, Matches } from 'class-validator';

export class PreparePayoutDto {
  @IsString()
  @IsNotEmpty({ message: 'choose a bank' })
  readonly bank_code!: string;

  @Matches(/^[0-9A-Za-z]{4,34}$/, { message: 'write the account number without spaces' })
  readonly account_number!: string;

  @Matches(/^[1-9]\d{0,12}(\.\d{1,2})?$/, { message: 'write the amount in TZS, such as 25000 or 1180.50' })
  readonly amount!: string;
}
