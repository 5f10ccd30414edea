import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  HttpStatus,
  Inject,
  Injectable,
  type NestInterceptor,
  Optional,
} from '@nestjs/common';
import { catchError, type Observable, throwError } from 'rxjs';
import { type PaymentsErrorBody } from './payments-error-body.js';
import { definedFields, isRecord } from '../common/json-object.js';
import { callOptionErrors, refuseUnknown, unknownOptions } from './option-errors.js';
import { isPaymentsError, type PaymentsError } from './payments-errors.js';
import { throwJoined } from './wrong-options.js';

/**
 * Options of `PaymentsErrorInterceptor`.
 *
 * @publicApi
 */
export interface PaymentsErrorInterceptorOptions {
  /**
   * Status by error code or by error class name, over the package's own map: a whole number from 400 to 599. The code wins.
   *
   * @example
   * ```ts
   * new PaymentsErrorInterceptor({ errorStatus: { INSUFFICIENT_BALANCE: 409, GatewayUnreachableError: 502 } });
   * ```
   * @default {}
   */
  readonly errorStatus?: Readonly<Record<string, number>>;
}

/**
 * Token under which `APP_INTERCEPTOR` users may provide `PaymentsErrorInterceptorOptions`.
 *
 * @publicApi
 */
export const PAYMENTS_ERROR_INTERCEPTOR_OPTIONS = Symbol.for('nestjs-payments.error-interceptor-options');

/**
 * Converts this package's errors to Nest's `HttpException`s in HTTP routes and GraphQL resolvers. Other errors pass
 * unchanged, and so do all errors in other handlers (of microservices, WebSocket gateways, queues, bots), which answer no HTTP.
 *
 * The error of the package is the `cause` of the exception. An exception filter finds the `hint` there.
 *
 * In GraphQL resolvers, the exception has `extensions`, which the server answers: `code` of the error, `status` of
 * the table, and the body of an HTTP answer as `originalError`.
 *
 * | error | status |
 * |---|---|
 * | validation | 400 |
 * | refused by the gateway | 422; `ACCOUNT_NOT_FOUND` 404, `INSUFFICIENT_BALANCE` 402 |
 * | reference reused | 409 |
 * | batches of payouts | 409; `BATCH_NOT_FOUND` and `LINE_NOT_FOUND` 404, `BATCH_APPROVAL` 403, `BATCH_BALANCE` 402, `BATCH_CHECK` 502, `STOPPING` 503 |
 * | reconciliation | 409; `DAY_NOT_CLOSED` and `EXCEPTION_NOT_FOUND` 404, `CLOSE_RUNNING` 503 |
 * | an account that `accounts.resolve` does not know | 404; 503 if it failed |
 * | the gateway's 401 and 403, an unusable answer to a read | 502 |
 * | 429, daily cap, overload, storage (with `Retry-After`), unreachable | 503 |
 * | a webhook that `verifyWebhook` refused | its `status` |
 * | unknown outcome | 504; 409 after a duplicate |
 *
 * @example
 * ```ts
 * @UseInterceptors(PaymentsErrorInterceptor)
 * @Controller('checkout')
 * class CheckoutController {}
 * ```
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor }] })
 * class AppModule {}
 * ```
 *
 * @publicApi
 */
@Injectable()
export class PaymentsErrorInterceptor implements NestInterceptor {
  private readonly errorStatus: ReadonlyMap<string, number>;

  constructor(
    @Optional() @Inject(PAYMENTS_ERROR_INTERCEPTOR_OPTIONS) options?: PaymentsErrorInterceptorOptions,
  ) {
    refuseUnknown(options, ['errorStatus'], optionError);
    this.errorStatus = new Map(Object.entries(statusesIn(options?.errorStatus)));
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        catchError((error: unknown) =>
          throwError(() =>
            isPaymentsError(error) && ANSWERED.has(kindOf(context))
              ? this.toHttpException(error, context)
              : error,
          ),
        ),
      );
  }

  /** Override to answer in another form. */
  protected toHttpException(error: PaymentsError, context: ExecutionContext): HttpException {
    const status = this.errorStatus.get(error.code) ?? this.errorStatus.get(error.name) ?? usualStatus(error);
    const seconds = retryAfter(error);
    if (seconds !== undefined) setRetryAfter(context, seconds);
    const body = bodyFor(error, status);
    return kindOf(context) === 'graphql'
      ? graphqlException(body, error)
      : new HttpException(body, status, { cause: error });
  }
}

const optionError = callOptionErrors('PaymentsErrorInterceptor');
const NO_STATUS = 'must be an HTTP status: write a whole number from 400 to 599.';
const NO_CLASS = 'write the name of a class of this package, or a code.';

/** @throws PaymentsConfigError that names everything that is wrong, so that the boot says it and not an error in production. */
function statusesIn(given: unknown): Record<string, number> {
  const written = given ?? {};
  if (!isRecord(written)) throw optionError('errorStatus', 'must be an object: write { RATE_LIMITED: 429 }.');
  const statuses = definedFields(written);
  const classes = Object.keys(written).filter((name) => name.endsWith('Error'));
  const wrong = Object.keys(statuses).filter((name) => !isErrorStatus(statuses[name]));
  throwJoined([
    ...unknownOptions(classes, [...STATUS.keys()], 'errorStatus', optionError, NO_CLASS),
    ...wrong.map((name) => optionError(`errorStatus.${name}`, NO_STATUS)),
  ]);
  return statuses as Record<string, number>;
}

function isErrorStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;
}

/** The kinds of handlers whose caller gets a status. Libraries for queues and bots have kinds of their own. */
const ANSWERED: ReadonlySet<string> = new Set(['http', 'graphql']);

/** A test may call the interceptor with less than a whole context. */
function kindOf(context: Partial<ExecutionContext>): string {
  return context.getType?.() ?? 'http';
}

/**
 * GraphQL servers answer the `extensions` of a thrown error. Nest's Apollo driver replaces their code by its own
 * for a response with a `statusCode`, so the response has none.
 */
function graphqlException(
  { statusCode, ...response }: PaymentsErrorBody,
  cause: PaymentsError,
): HttpException {
  const originalError = { statusCode, ...response };
  const extensions = { code: response.code, status: statusCode, originalError };
  return Object.assign(new HttpException(response, statusCode, { cause }), { extensions });
}

function bodyFor(error: PaymentsError, statusCode: number): Readonly<PaymentsErrorBody> {
  const errors = 'errors' in error ? (error.errors as PaymentsErrorBody['errors']) : undefined;
  return {
    statusCode,
    error: titleOf(statusCode),
    code: error.code,
    message: error.message,
    ...(errors && Object.keys(errors).length > 0 ? { errors } : {}),
    ...(error.reference === undefined ? {} : { reference: error.reference }),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    mayHaveBeenProcessed: error.mayHaveBeenProcessed,
    // Only a PaymentRejectedError has it.
    ...('final' in error && error.final === false ? { final: false } : {}),
  };
}

/** `UNPROCESSABLE_ENTITY` → `Unprocessable Entity`, as in Nest's own bodies. */
function titleOf(status: number): string {
  const name: string | undefined = HttpStatus[status];
  if (name === undefined) return 'Error';
  return name
    .toLowerCase()
    .replace(/(^|_)([a-z])/g, (_, gap: string, letter: string) => (gap ? ' ' : '') + letter.toUpperCase());
}

interface Answer {
  readonly headersSent?: boolean;
  readonly raw?: { readonly headersSent?: boolean };
  header?(name: string, value: string): unknown;
  setHeader?(name: string, value: string): unknown;
}

/** Express calls the method `setHeader`, Fastify `header`. An answer that has begun, such as a stream of events, takes none. */
function setRetryAfter(context: Partial<ExecutionContext>, seconds: number): void {
  if (kindOf(context) !== 'http') return;
  const response = context.switchToHttp?.().getResponse<Answer>();
  if (response?.headersSent || response?.raw?.headersSent) return;
  if (response?.header) response.header('Retry-After', String(seconds));
  else response?.setHeader?.('Retry-After', String(seconds));
}

/** Compares classes by name, which works across package copies. */
const STATUS = new Map<string, number | ((error: PaymentsError) => number)>([
  ['PaymentsValidationError', 400],
  // The caller of the application did nothing wrong.
  ['DailyCapReachedError', 503],
  ['PaymentRejectedError', ({ code }) => REFUSED_STATUS.get(code) ?? 422],
  ['ReferenceReusedError', 409],
  ['PaymentsConfigError', 500],
  ['PaymentsSandboxError', 500],
  ['PaymentsError', ({ code }) => OWN_STATUS.get(code) ?? 500],
  ['PaymentsAccountError', ({ code }) => (code === 'ACCOUNT_UNKNOWN' ? 404 : 503)],
  // The gateway's 401 and 403 become 502: the caller of the application did nothing wrong.
  ['PaymentsAuthenticationError', 502],
  ['GatewayAnswerError', 502],
  ['PaymentsRateLimitError', 503],
  ['PaymentsOverloadError', 503],
  ['WebhookRefusedError', refusedWith],
  ['GatewayUnreachableError', 503],
  ['PaymentsStorageError', 503],
  ['PaymentOutcomeUnknownError', (error) => (DUPLICATE_EVIDENCE.has(evidenceOf(error)) ? 409 : 504)],
]);

const REFUSED_STATUS: ReadonlyMap<string, number> = new Map([
  ['ACCOUNT_NOT_FOUND', 404],
  ['INSUFFICIENT_BALANCE', 402],
]);

/** Of errors without a class of their own. */
const OWN_STATUS: ReadonlyMap<string, number> = new Map([
  ['BATCH_NOT_FOUND', 404],
  ['LINE_NOT_FOUND', 404],
  ['BATCH_APPROVAL', 403],
  ['BATCH_BALANCE', 402],
  ['BATCH_CHECK', 502],
  ['STOPPING', 503],
  ['BATCH_BLOCKED', 409],
  ['BATCH_CHANGED', 409],
  ['BATCH_EXISTS', 409],
  ['BATCH_SAME_LINES', 409],
  ['BATCH_STATE', 409],
  ['DAY_NOT_CLOSED', 404],
  ['EXCEPTION_NOT_FOUND', 404],
  ['CLOSE_RUNNING', 503],
  ['DAY_CLOSED', 409],
  ['DAY_NOT_NEXT', 409],
  ['DAY_NOT_OVER', 409],
  ['DAY_OTHER_ZONE', 409],
  ['EXCEPTION_CHANGED', 409],
  ['EXCEPTION_SETTLED', 409],
]);

/** In seconds, of errors that do not say it. */
const USUAL_RETRY_AFTER: ReadonlyMap<string, number> = new Map([
  ['PaymentsRateLimitError', 1],
  ['PaymentsStorageError', 5],
]);

const DUPLICATE_EVIDENCE: ReadonlySet<unknown> = new Set(['duplicate-request', 'duplicate-reference']);

function usualStatus(error: PaymentsError): number {
  const status = STATUS.get(error.name) ?? 500;
  return typeof status === 'number' ? status : status(error);
}

function evidenceOf(error: PaymentsError): unknown {
  return 'evidence' in error ? error.evidence : undefined;
}

function refusedWith(error: PaymentsError): number {
  return 'status' in error && typeof error.status === 'number' ? error.status : 401;
}

/** When the same request may be made again, in seconds. */
function retryAfter(error: PaymentsError): number | undefined {
  if ('resetsAt' in error && error.resetsAt instanceof Date) {
    return secondsIn(error.resetsAt.getTime() - Date.now());
  }
  const asked = 'retryAfterMs' in error && typeof error.retryAfterMs === 'number';
  return asked ? secondsIn(error.retryAfterMs as number) : USUAL_RETRY_AFTER.get(error.name);
}

function secondsIn(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
