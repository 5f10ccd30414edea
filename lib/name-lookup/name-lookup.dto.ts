import { TEXT } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { LOOKUP_CHANNELS } from '../common/vocabulary.js';
import { fieldRule, IsText, textProblem } from '../gateway/validation/field-rules.js';

/**
 * Where an account is held.
 *
 * @useDeclaredType
 * @publicApi
 */
export type LookupChannel = (typeof LOOKUP_CHANNELS)[number];

const IsLookupChannel = (): PropertyDecorator =>
  fieldRule('isLookupChannel', (value) =>
    LOOKUP_CHANNELS.includes(value as LookupChannel)
      ? undefined
      : `must be one of ${LOOKUP_CHANNELS.join(', ')}`,
  );

/** Required for a bank account, optional for the other channels. */
const IsBankCodeOfChannel = (): PropertyDecorator =>
  fieldRule('isBankCodeOfChannel', (value, request) => {
    const forBank = (request as Partial<NameLookupDto>).channel === 'BANK';
    if (value === undefined && !forBank) return undefined;
    if (textProblem(value, request) === undefined) return undefined;
    return forBank
      ? 'is required when channel is BANK: write a code from BanksService.list()'
      : 'must be a bank code: leave it out, it is only for the channel BANK';
  });

/**
 * Request of a name lookup (specification, "Endpoints" 5).
 *
 * @publicApi
 */
export class NameLookupDto {
  /** `MOBILE_MONEY`, `BANK` or `PARTNERPESA`. */
  @OpenApiField({
    type: 'string',
    enum: LOOKUP_CHANNELS,
    description: 'Where the account is held.',
    example: 'BANK',
  })
  @IsLookupChannel()
  channel!: LookupChannel;

  /**
   * Mobile number, bank account number or partner wallet number, by channel; a string, because leading zeros
   * count.
   */
  @OpenApiField({
    ...TEXT,
    description:
      'Mobile number, bank account number or partner wallet number, by channel: leading zeros count.',
    example: '0000000000001',
  })
  @IsText()
  account_number!: string;

  /** Required when `channel` is `BANK`: a code from `BanksService.list()`. */
  @OpenApiField({
    ...TEXT,
    description: 'Required when channel is BANK: a code from the list of banks.',
    example: 'ABC',
    required: false,
  })
  @IsBankCodeOfChannel()
  bank_code?: string | undefined;
}
