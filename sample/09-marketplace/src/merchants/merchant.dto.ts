import { IsNotEmpty, IsString, Matches, MinLength } from 'class-validator';

export class MerchantKeysDto {
  @Matches(/^pk_(test|live)_\S+$/)
  readonly apiKey!: string;

  @Matches(/^sk_(test|live)_\S+$/)
  readonly apiSecret!: string;

  @IsString()
  @MinLength(16)
  readonly webhookSecret!: string;
}

export class AddMerchantDto extends MerchantKeysDto {
  /** Never changes: journal, inbox and the webhook address use it. */
  @Matches(/^[a-z][a-z0-9-]{0,62}$/, { message: 'write an id of small letters, digits and dashes' })
  readonly id!: string;

  @IsString()
  @IsNotEmpty()
  readonly name!: string;
}
