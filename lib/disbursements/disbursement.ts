import { type MoneyInput } from '../common/money.js';
import {
  AMOUNT,
  CURRENCY,
  KEPT,
  listed,
  METADATA,
  MONEY,
  REFERENCE,
  TEXT,
  TZS,
} from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { DISBURSEMENT_STATUSES, type DisbursementStatus } from '../common/vocabulary.js';
import { IsMetadata, IsMoneyAmount, IsReference, IsText, IsTzs } from '../gateway/validation/field-rules.js';
import { type LastResponse } from '../gateway/answer/wire-record.js';

/** The common fields of payout requests (specification, "Endpoints" 6 and 7). */
export abstract class DisbursementDto {
  /**
   * Your own reference, unique for every payout: it is what tells payouts apart. 1 to 255 bytes, without
   * white space at its ends or control characters.
   */
  @OpenApiField({
    ...REFERENCE,
    description: 'Your own reference, 1 to 255 bytes, unique for every payout.',
    example: 'salary-2026-01-17',
  })
  @IsReference()
  reference!: string;

  /** What the recipient gets: greater than 0, at most two decimals. The fee comes on top. */
  @OpenApiField({
    ...AMOUNT,
    description: 'What the recipient gets: greater than 0, at most two decimals. The fee comes on top.',
    example: '250000.00',
  })
  @IsMoneyAmount()
  amount!: MoneyInput;

  /** The only currency of the gateway. @default 'TZS' */
  @OpenApiField(CURRENCY)
  @IsTzs()
  currency?: 'TZS' | undefined;

  /** What the payout is for. */
  @OpenApiField({ ...TEXT, description: 'What the payout is for.', example: 'Salary of January' })
  @IsText()
  remarks!: string;

  /** Your own data: a plain JSON object. */
  @OpenApiField({ ...METADATA, description: 'Your own data.', example: { run: 17 }, required: false })
  @IsMetadata()
  metadata?: Record<string, unknown> | undefined;
}

/** The common fields of payout records. */
export abstract class Disbursement {
  /** Your reference, echoed. */
  @OpenApiField({ ...KEPT, description: 'Your reference, echoed.', example: 'salary-2026-01-17' })
  readonly reference!: string;

  /** Two-decimal string, for example `"250000.00"`. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '250000.00' })
  readonly amount!: string;

  /** Two-decimal string. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '500.00', required: false })
  readonly fee?: string;

  /** Two-decimal string; amount plus fee in the specification's example. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '250500.00', required: false })
  readonly total_amount?: string;

  /** `TZS`. */
  @OpenApiField(TZS)
  readonly currency!: string;

  /** Name of the provider that handles the payout. */
  @OpenApiField({ ...KEPT, example: 'provider-b', required: false })
  readonly provider?: string;

  /**
   * `processing` in the specification's example. A final status of an answer that does not name the payout is
   * `pending`, with a line in `lastResponse.warnings`: `paid` counts beside the reference, and every other end also
   * beside the amount.
   */
  @OpenApiField({ ...listed(DISBURSEMENT_STATUSES), example: 'processing' })
  readonly status!: DisbursementStatus;

  /** Your description of the payout, echoed. */
  @OpenApiField({ ...KEPT, example: 'Salary of January', required: false })
  readonly remarks?: string;

  /** How the call went, in the result of a call; JSON and copies of the result lack it. */
  readonly lastResponse?: LastResponse;
}
