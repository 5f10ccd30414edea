import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  HttpException,
} from '@nestjs/common';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { routeProgress } from './answered-request.js';
import { type BodyRefusal, nodeRequest } from './captured-body.js';
import { drainRequest } from './drain-request.js';

/** An answer to the gateway other than 200. */
export class WebhookRefusal extends HttpException {
  constructor(status: 400 | 401 | 408 | 413 | 415 | 422 | 500 | 503, message: string) {
    super(bodyOf(status, message), status);
  }
}

function bodyOf(status: number, message: string): Record<string, unknown> {
  return { ...HttpException.createBody(message, STATUS_CODES[status] ?? '', status) };
}

const REASONS = {
  400: 'The request was aborted.',
  401: 'The webhook signature is not valid.',
  408: 'The body came too slowly.',
  413: 'The body is too long.',
  415: 'Send uncompressed JSON in UTF-8.',
  503: 'This webhook cannot be handled right now.',
} as const;

export function refusalOf(status: keyof typeof REASONS): WebhookRefusal {
  return new WebhookRefusal(status, REASONS[status]);
}

/** A response of Express or Fastify. */
export interface ResponseLike {
  /** Of Express. */
  readonly headersSent?: boolean;
  /** Of Fastify. */
  readonly sent?: boolean;
  header(name: string, value: string): unknown;
  status(code: number): { send(body: unknown): unknown };
}

/** Answers without an exception, which would cost more than to check a signature. The body was put back. */
export function refuseForged(
  status: 401 | 503,
  request: IncomingMessage,
  response: ServerResponse & ResponseLike,
): void {
  request.resume();
  // The application may have answered while the scheme checked.
  if (response.headersSent) return;
  if (status === 503) response.header('Retry-After', String(RETRY_SECONDS));
  response.status(status).send(bodyOf(status, REASONS[status]));
}

export function sendRefusal(refusal: WebhookRefusal, response: ResponseLike): void {
  // A timer of the application may have answered meanwhile.
  if (response.headersSent ?? response.sent) return;
  response.status(refusal.getStatus()).send(refusal.getResponse());
}

/**
 * Answers refusals before the application's own filters, which may answer every error with 200. The gateway
 * would then take the delivery for handled.
 */
@Catch(WebhookRefusal)
export class WebhookRefusalFilter implements ExceptionFilter<WebhookRefusal> {
  catch(refusal: WebhookRefusal, host: ArgumentsHost): void {
    const node = nodeRequest(host);
    // The method of the route refuses without the request.
    if (routeProgress.get(node) === 'parameters') routeProgress.set(node, refusal.getStatus());
    sendRefusal(refusal, host.switchToHttp().getResponse<ResponseLike>());
  }
}

/** `Retry-After` if there was no room for the body, or the account of its path could not be looked up. */
const RETRY_SECONDS = 5;

/** The answer to a delivery that cannot be verified. Discards the rest of its body afterwards. */
export function refuseBody(
  status: BodyRefusal,
  request: IncomingMessage,
  nodeResponse: ServerResponse,
  response: ResponseLike,
): WebhookRefusal {
  drainRequest(request, nodeResponse);
  return refuseRead(status, response);
}

/** The answer to a delivery that was read and cannot be verified. */
export function refuseRead(status: BodyRefusal, response: Pick<ResponseLike, 'header'>): WebhookRefusal {
  if (status === 503) response.header('Retry-After', String(RETRY_SECONDS));
  return refusalOf(status);
}

/** The error of a request whose body broke off, so that no route takes it for one without a body. */
export function abortedRequest(status: BodyRefusal): BadRequestException | undefined {
  return status === 400 ? new BadRequestException(REASONS[400]) : undefined;
}
