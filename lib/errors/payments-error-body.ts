import { KEPT } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';

/**
 * Body of the HTTP answer that `PaymentsErrorInterceptor` writes for an error of this package.
 *
 * Bodies are plain objects with this shape. The class is for
 * `@ApiResponse({ status: 422, type: PaymentsErrorBody })`.
 *
 * @publicApi
 */
export class PaymentsErrorBody {
  /** HTTP status of this answer, not of the gateway's. */
  @OpenApiField({ type: 'integer', description: 'HTTP status of this answer.', example: 422 })
  readonly statusCode!: number;

  /** Name of the status, as in Nest's own bodies. */
  @OpenApiField({ ...KEPT, description: 'Name of the status.', example: 'Unprocessable Entity' })
  readonly error!: string;

  /** The gateway's code, or this package's. */
  @OpenApiField({ ...KEPT, description: 'What went wrong, for programs.', example: 'INVALID_REQUEST' })
  readonly code!: string;

  /** What went wrong, for people. */
  @OpenApiField({
    ...KEPT,
    description: 'What went wrong, for people.',
    example: 'The gateway refused the payment.',
  })
  readonly message!: string;

  /** Messages by field, of a wrong or refused request. */
  @OpenApiField({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Messages by field, of a wrong or refused request.',
    example: { phone: ['phone must be 255 and nine digits'] },
    required: false,
  })
  readonly errors?: Readonly<Record<string, string[]>>;

  /** Reference of the payment. */
  @OpenApiField({
    ...KEPT,
    description: 'The payment that it is about.',
    example: 'order-1042',
    required: false,
  })
  readonly reference?: string;

  /** The gateway's id of the request, for its support. */
  @OpenApiField({
    ...KEPT,
    description: "The gateway's id of the request, for its support.",
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    required: false,
  })
  readonly requestId?: string;

  /** Whether money may have moved. False does not prove that the payment failed: see `final`. */
  @OpenApiField({
    oneOf: [{ type: 'boolean' }, { type: 'string', enum: ['not-by-this-call'] }],
    description: 'Whether money may have moved. False does not prove that the payment failed.',
    example: false,
  })
  readonly mayHaveBeenProcessed!: boolean | 'not-by-this-call';

  /** False if the gateway's refusal does not prove that no money moved: keep the payment open. Absent otherwise. */
  @OpenApiField({
    type: 'boolean',
    enum: [false],
    description:
      "Present if the gateway's refusal does not prove that no money moved: keep the payment open.",
    example: false,
    required: false,
  })
  readonly final?: false;
}
