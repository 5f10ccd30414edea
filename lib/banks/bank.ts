import { KEPT } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { type LastResponse } from '../gateway/answer/wire-record.js';

/**
 * A bank that payouts can go to (specification, "Bank entry").
 *
 * Only `code` is certain: a list leaves out an entry without one.
 *
 * Results are plain objects with this shape. The class is for `@ApiOkResponse({ type: [Bank] })`.
 *
 * Fields that the specification does not know are kept: `(bank as { extra?: unknown }).extra` reads one.
 *
 * @publicApi
 */
export class Bank {
  /** The gateway's number of the bank; payouts name its `code`. */
  @OpenApiField({ type: 'integer', example: 1, required: false })
  readonly id?: number;

  /** Full name. */
  @OpenApiField({ ...KEPT, description: 'Full name.', example: 'Able Bank', required: false })
  readonly name?: string;

  /** What `bank_code` of a payout or a lookup says. */
  @OpenApiField({ ...KEPT, description: 'What bank_code of a payout or a lookup says.', example: 'ABC' })
  readonly code!: string;

  /** How the call went, in the result of a call; JSON and copies of the result lack it. */
  readonly lastResponse?: LastResponse;
}
