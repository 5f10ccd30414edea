import { MONEY, TZS } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { type LastResponse } from '../gateway/answer/wire-record.js';

/**
 * The merchant's wallet (specification, "Wallet balance").
 *
 * An answer without one of the three amounts is refused.
 *
 * Results are plain objects with this shape. The class is for `@ApiOkResponse({ type: WalletBalance })`.
 *
 * Fields that the specification does not know are kept: `(balance as { extra?: unknown }).extra` reads one.
 *
 * @publicApi
 */
export class WalletBalance {
  /** Total: two-decimal string, for example `"1500000.00"`. */
  @OpenApiField({ ...MONEY, description: 'Total: two-decimal string.', example: '1500000.00' })
  readonly balance!: string;

  /** What can be spent now: two-decimal string. */
  @OpenApiField({
    ...MONEY,
    description: 'What can be spent now: two-decimal string.',
    example: '1250000.00',
  })
  readonly available_balance!: string;

  /** What is reserved or for the time being unavailable: two-decimal string. */
  @OpenApiField({
    ...MONEY,
    description: 'What is reserved or for the time being unavailable: two-decimal string.',
    example: '250000.00',
  })
  readonly locked_balance!: string;

  /** `TZS`. */
  @OpenApiField({ ...TZS, required: false })
  readonly currency?: string;

  /** How the call went, in the result of a call; JSON and copies of the result lack it. */
  readonly lastResponse?: LastResponse;
}
