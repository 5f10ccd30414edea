import { type IncomingMessage, type ServerResponse } from 'node:http';
import { keepVerified } from '../routes/receivable-webhook.js';

/** What Express and its router add to a request. */
interface ExpressRequest extends IncomingMessage {
  originalUrl?: string | undefined;
  baseUrl?: string | undefined;
  next?: unknown;
  params?: unknown;
  route?: unknown;
}

/** What Express adds to a response. */
interface ExpressResponse extends ServerResponse {
  locals?: object;
}

/**
 * Gives a request and its response, before Express sees them, what Express and its router would add to them, with the values
 * that it begins with.
 *
 * Express changes the prototypes of both. Each property that V8 is to add to one of them afterwards gives it a hidden class of
 * its own, so that no code made for one request fits the next, and a request costs half as much again.
 */
export function giveShape(request: ExpressRequest, response: ExpressResponse): void {
  request.originalUrl ??= request.url;
  request.baseUrl ??= '';
  request.next ??= undefined;
  request.params ??= undefined;
  request.route ??= undefined;
  keepVerified(request, undefined);
  const { statusCode } = response;
  response.statusCode = statusCode;
  response.locals ??= Object.create(null) as object;
}
