import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
  type INestApplication,
  Param,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { concat, lastValueFrom, type Observable, of, throwError } from 'rxjs';
import { DailyCapReachedError } from '../../../lib/errors/daily-cap.error.js';
import {
  GatewayAnswerError,
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsError,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
  WebhookRefusedError,
  ReferenceReusedError,
} from '../../../lib/errors/payments-errors.js';
import { PaymentsOverloadError } from '../../../lib/errors/payments-overload.error.js';
import {
  PAYMENTS_ERROR_INTERCEPTOR_OPTIONS,
  PaymentsErrorInterceptor,
} from '../../../lib/errors/payments-error.interceptor.js';

const details = { reference: 'order-1', requestId: 'request-1', httpStatus: 401 };
const errors: Record<string, () => Error> = {
  validation: () => new PaymentsValidationError({ phone: ['phone must be 255 and nine digits'] }, details),
  refused: () => new PaymentRejectedError('INVALID_PHONE', 'refused', details, { phone: ['wrong'] }),
  'not-found': () => new PaymentRejectedError('ACCOUNT_NOT_FOUND', 'refused', details),
  balance: () => new PaymentRejectedError('INSUFFICIENT_BALANCE', 'refused', details),
  'not-final': () => new PaymentRejectedError('HTTP_422', 'refused', details, {}, false),
  'own-status': () => new PaymentRejectedError('INVALID_NETWORK', 'refused', details),
  reused: () => new ReferenceReusedError('reused', details),
  authentication: () => new PaymentsAuthenticationError('UNAUTHORIZED', 'refused', details),
  answer: () => new GatewayAnswerError('PROVIDER_ERROR', 'no answer', details),
  rate: () => new PaymentsRateLimitError(1_200, 'slow down', details),
  'daily-cap': () => new DailyCapReachedError(new Date(Date.now() + 90_000), 'the cap is reached', details),
  'rate-open': () => new PaymentsRateLimitError(undefined, 'slow down', details),
  unreachable: () => new GatewayUnreachableError('unreachable', details),
  storage: () => new PaymentsStorageError('storage', details),
  overload: () => new PaymentsOverloadError('overload', details, 'not-by-this-call'),
  unknown: () => new PaymentOutcomeUnknownError('no-answer', 'unknown', details),
  'duplicate-request': () => new PaymentOutcomeUnknownError('duplicate-request', 'unknown', details),
  'duplicate-reference': () => new PaymentOutcomeUnknownError('duplicate-reference', 'unknown', details),
  config: () => new PaymentsConfigError('redirect', details),
  webhook: () => new WebhookRefusedError(413, 'The body is too long.', 'it is longer than 1 byte'),
  own: () => new HttpException('teapot', 418),
};

@Controller()
@UseInterceptors(PaymentsErrorInterceptor)
class FailingController {
  @Sse('events/:kind')
  begin(@Param('kind') kind: string): Observable<{ data: string }> {
    return concat(
      of({ data: 'asking' }),
      throwError(() => errors[kind]!()),
    );
  }

  @Get(':kind')
  fail(@Param('kind') kind: string): never {
    throw errors[kind]!();
  }
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('PaymentsErrorInterceptor on %s', (_, adapter) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      controllers: [FailingController],
      providers: [
        { provide: PAYMENTS_ERROR_INTERCEPTOR_OPTIONS, useValue: { errorStatus: { INVALID_NETWORK: 400 } } },
      ],
    }).compile();
    app = module.createNestApplication(adapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());

  it('answers with the status of a webhook that was refused, and says nothing of why', async () => {
    const response = await fetch(`${url}/webhook`);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({
      statusCode: 413,
      error: 'Payload Too Large',
      code: 'WEBHOOK_REFUSED',
      message: 'The body is too long.',
      mayHaveBeenProcessed: false,
    });
  });

  it.each([
    ['validation', 400, 'Bad Request', 'VALIDATION_FAILED', false],
    ['refused', 422, 'Unprocessable Entity', 'INVALID_PHONE', false],
    ['not-found', 404, 'Not Found', 'ACCOUNT_NOT_FOUND', false],
    ['balance', 402, 'Payment Required', 'INSUFFICIENT_BALANCE', false],
    ['own-status', 400, 'Bad Request', 'INVALID_NETWORK', false],
    ['reused', 409, 'Conflict', 'REFERENCE_REUSED', false],
    ['authentication', 502, 'Bad Gateway', 'UNAUTHORIZED', false],
    ['answer', 502, 'Bad Gateway', 'PROVIDER_ERROR', false],
    ['rate', 503, 'Service Unavailable', 'RATE_LIMITED', false],
    ['daily-cap', 503, 'Service Unavailable', 'DAILY_CAP_REACHED', false],
    ['unreachable', 503, 'Service Unavailable', 'GATEWAY_UNREACHABLE', false],
    ['storage', 503, 'Service Unavailable', 'STORAGE_UNAVAILABLE', false],
    ['overload', 503, 'Service Unavailable', 'OVERLOADED', 'not-by-this-call'],
    ['unknown', 504, 'Gateway Timeout', 'OUTCOME_UNKNOWN', true],
    ['duplicate-request', 409, 'Conflict', 'OUTCOME_UNKNOWN', true],
    ['duplicate-reference', 409, 'Conflict', 'OUTCOME_UNKNOWN', true],
    ['config', 500, 'Internal Server Error', 'CONFIG_INVALID', false],
  ])('answers %s with %i %s', async (kind, status, error, code, mayHaveBeenProcessed) => {
    const response = await fetch(`${url}/${kind}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      statusCode: status,
      error,
      code,
      reference: 'order-1',
      requestId: 'request-1',
      mayHaveBeenProcessed,
    });
  });

  it('shows messages by field only if there are some', async () => {
    const validation = (await (await fetch(`${url}/validation`)).json()) as Record<string, unknown>;
    expect(validation['errors']).toEqual({ phone: ['phone must be 255 and nine digits'] });
    const balance = (await (await fetch(`${url}/balance`)).json()) as Record<string, unknown>;
    expect(Object.keys(balance).sort()).toEqual([
      'code',
      'error',
      'mayHaveBeenProcessed',
      'message',
      'reference',
      'requestId',
      'statusCode',
    ]);
  });

  it('says of a refusal that proves nothing, and of nothing else, that it is not final', async () => {
    const finals = new Map<string, unknown>();
    for (const kind of Object.keys(errors)) {
      const body = (await (await fetch(`${url}/${kind}`)).json()) as Record<string, unknown>;
      if ('final' in body) finals.set(kind, body['final']);
    }
    expect(finals).toEqual(new Map([['not-final', false]]));
  });

  it('tells the caller when to try again after 429, in whole seconds', async () => {
    expect((await fetch(`${url}/rate`)).headers.get('retry-after')).toBe('2');
    expect((await fetch(`${url}/rate-open`)).headers.get('retry-after')).toBe('1');
    const untilTheNextDay = Number((await fetch(`${url}/daily-cap`)).headers.get('retry-after'));
    expect(untilTheNextDay).toBeGreaterThan(60);
    expect(untilTheNextDay).toBeLessThanOrEqual(90);
  });

  it.each(['storage', 'overload'])('tells the caller to try again in five seconds after %s', async (kind) => {
    expect((await fetch(`${url}/${kind}`)).headers.get('retry-after')).toBe('5');
  });

  it.each(['rate', 'refused'])('adds no header to an answer that has begun: %s', async (kind) => {
    const response = await fetch(`${url}/events/${kind}`);
    const { message } = errors[kind]!();
    expect(await response.text()).toMatch(
      new RegExp(`data: asking\n(.*\n)*event: error\n(.*\n)*data: ${message}\n`),
    );
    expect(response.headers.get('retry-after')).toBeNull();
  });

  it('leaves other errors alone', async () => {
    expect((await fetch(`${url}/own`)).status).toBe(418);
  });
});

it('lets an application give its own status by code or by class', () => {
  const interceptor = new PaymentsErrorInterceptor({
    errorStatus: { INSUFFICIENT_BALANCE: 409, PaymentRejectedError: 400 },
  });
  const map = Reflect.get(interceptor, 'toHttpException') as (
    error: Error,
    context: unknown,
  ) => HttpException;
  const status = (kind: string): number => map.call(interceptor, errors[kind]!(), {}).getStatus();
  expect([status('balance'), status('refused'), status('unknown')]).toEqual([409, 400, 504]);
});

it('answers 422 for a code that is the name of an object method', async () => {
  const interceptor = new PaymentsErrorInterceptor({ errorStatus: { INVALID_PHONE: 400 } });
  const refused = throwError(() => new PaymentRejectedError('toString', 'refused'));
  const answer = lastValueFrom(interceptor.intercept({} as ExecutionContext, { handle: () => refused }));
  await expect(answer).rejects.toMatchObject({ status: 422 });
});

it.each(['http', 'graphql'])(
  'keeps the error of the package as the cause of the exception in %s',
  async (kind) => {
    const refused = new PaymentsStorageError('The storage is away.');
    const context = { getType: () => kind } as ExecutionContext;
    const answer = new PaymentsErrorInterceptor().intercept(context, {
      handle: () => throwError(() => refused),
    });
    await expect(lastValueFrom(answer)).rejects.toHaveProperty('cause', refused);
  },
);

it('leaves out what the error does not know', async () => {
  const refused = throwError(() => new PaymentsStorageError('The storage is away.'));
  const answer = lastValueFrom(
    new PaymentsErrorInterceptor().intercept({} as ExecutionContext, { handle: () => refused }),
  );
  const error: unknown = await answer.catch((caught: unknown) => caught);
  expect(Object.keys((error as HttpException).getResponse())).toEqual([
    'statusCode',
    'error',
    'code',
    'message',
    'mayHaveBeenProcessed',
  ]);
});

it.each(['header', 'setHeader'])(
  'tells when to try again through a response that has only %s',
  async (name) => {
    const setHeader = vi.fn();
    const context = {
      getType: () => 'http',
      switchToHttp: () => ({ getResponse: () => ({ [name]: setHeader }) }),
    } as unknown as ExecutionContext;
    const limited = throwError(() => new PaymentsRateLimitError(1_200, 'slow down'));
    const answer = lastValueFrom(
      new PaymentsErrorInterceptor().intercept(context, { handle: () => limited }),
    );
    await expect(answer).rejects.toMatchObject({ status: 503 });
    expect(setHeader.mock.calls).toEqual([['Retry-After', '2']]);
  },
);

it.each([{ headersSent: true }, { raw: { headersSent: true } }])(
  'asks no header of a response that has begun: %j',
  async (begun) => {
    const header = vi.fn();
    const getResponse = () => ({ header, setHeader: header, ...begun });
    const context = { getType: () => 'http', switchToHttp: () => ({ getResponse }) };
    const limited = throwError(() => new PaymentsRateLimitError(1_200, 'slow down'));
    const interceptor = new PaymentsErrorInterceptor();
    const answer = interceptor.intercept(context as unknown as ExecutionContext, { handle: () => limited });
    await expect(lastValueFrom(answer)).rejects.toMatchObject({ status: 503 });
    expect(header).not.toHaveBeenCalled();
  },
);

describe('what the interceptor answers', () => {
  const rateLimit = new PaymentsRateLimitError(1_200, 'slow down');

  function answerOf(error: Error, context: object = {}, errorStatus = {}): Promise<unknown> {
    const interceptor = new PaymentsErrorInterceptor({ errorStatus });
    const failing = interceptor.intercept(context as ExecutionContext, {
      handle: () => throwError(() => error),
    });
    return lastValueFrom(failing).catch((caught: unknown) => caught);
  }

  it.each([
    ['its status', 422, 422],
    ['401 if it has none', undefined, 401],
    ['401 if that is no number', '413', 401],
  ])('to a refused webhook of another copy of the package is %s', async (_, status, answered) => {
    const error = Object.assign(new PaymentsError('WEBHOOK_REFUSED', 'refused'), {
      name: 'WebhookRefusedError',
    });
    if (status !== undefined) Object.assign(error, { status });
    expect(await answerOf(error)).toMatchObject({ status: answered });
  });

  it.each([
    ['that of its own name', { DailyCapReachedError: 429 }, 429],
    ['not that of wrong calls', { PaymentsValidationError: 422 }, 503],
    ['that of its code first', { DAILY_CAP_REACHED: 409, DailyCapReachedError: 429 }, 409],
  ])('to a day without room is %s', async (_, errorStatus, status) => {
    const error = new DailyCapReachedError(new Date(Date.now() + 90_000), 'the cap is reached');
    expect(await answerOf(error, {}, errorStatus)).toMatchObject({ status });
  });

  it.each([
    [404, ['BATCH_NOT_FOUND', 'LINE_NOT_FOUND']],
    [409, ['BATCH_BLOCKED', 'BATCH_CHANGED', 'BATCH_EXISTS', 'BATCH_SAME_LINES', 'BATCH_STATE']],
    [403, ['BATCH_APPROVAL']],
    [402, ['BATCH_BALANCE']],
    [502, ['BATCH_CHECK']],
    [503, ['STOPPING']],
    [500, ['ENTRY_NOT_FOUND', 'constructor']],
  ])('is %i for the codes %j', async (status, codes) => {
    for (const code of codes) expect(await answerOf(new PaymentsError(code, 'no'))).toMatchObject({ status });
  });

  it('under a status without a name has the title Error', async () => {
    const context = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => ({}) }) };
    const answer = await answerOf(rateLimit, context, { RATE_LIMITED: 499 });
    expect(answer).toMatchObject({ status: 499, response: { statusCode: 499, error: 'Error' } });
  });

  it('looks for no response outside of HTTP', async () => {
    const switchToHttp = vi.fn();
    expect(await answerOf(rateLimit, { getType: () => 'graphql', switchToHttp })).toMatchObject({
      status: 503,
    });
    expect(switchToHttp).not.toHaveBeenCalled();
  });

  it('is the same if a response takes no headers', async () => {
    const context = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => ({}) }) };
    expect(await answerOf(rateLimit, context)).toMatchObject({ status: 503 });
  });
});

it('finds its options under a token that is the same in every copy of the package', () => {
  expect(PAYMENTS_ERROR_INTERCEPTOR_OPTIONS).toBe(Symbol.for('nestjs-payments.error-interceptor-options'));
});

it.each(['rpc', 'ws', 'rmq', 'telegraf', 'necord', 'a kind of tomorrow'])(
  'passes errors unchanged where an HTTP status means nothing: %s',
  async (kind) => {
    const error = new PaymentsRateLimitError(1_200, 'slow down');
    const context = { getType: () => kind } as unknown as ExecutionContext;
    const answer = new PaymentsErrorInterceptor().intercept(context, {
      handle: () => throwError(() => error),
    });
    await expect(lastValueFrom(answer)).rejects.toBe(error);
  },
);

it('gives GraphQL the code, the status and the body of REST', async () => {
  const context = { getType: () => 'graphql' } as unknown as ExecutionContext;
  const failing = { handle: () => throwError(() => new PaymentsRateLimitError(1_200, 'slow down', details)) };
  const answer = lastValueFrom(new PaymentsErrorInterceptor().intercept(context, failing));
  const error = (await answer.catch((caught: unknown) => caught)) as HttpException & { extensions: object };
  expect(error).toBeInstanceOf(HttpException);
  expect(error.getStatus()).toBe(503);
  expect(error.getResponse()).not.toHaveProperty('statusCode');
  expect(error.extensions).toEqual({
    code: 'RATE_LIMITED',
    status: 503,
    originalError: {
      statusCode: 503,
      error: 'Service Unavailable',
      code: 'RATE_LIMITED',
      message: 'slow down',
      reference: 'order-1',
      requestId: 'request-1',
      mayHaveBeenProcessed: false,
    },
  });
});
