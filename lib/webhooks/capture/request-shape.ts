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
 * Gives requests and responses, before Express sees them, what Express and its router would add to them, with the values
 * that it begins with.
 *
 * Express changes the prototypes of both. Each property that V8 is to add to one of them afterwards gives it a hidden class of
 * its own, so that no code made for one request fits the next, and a request costs twice as much.
 */
export class RequestShape {
  private symbolsBefore: readonly symbol[] | undefined;
  /** Only the router can name its symbols: they are learnt from the first request. */
  private symbolsAdded: readonly symbol[] | undefined;

  /** Before Express begins. */
  give(request: ExpressRequest, response: ExpressResponse): void {
    this.symbolsBefore ??= Object.getOwnPropertySymbols(request);
    request.originalUrl ??= request.url;
    request.baseUrl ??= '';
    request.next ??= undefined;
    request.params ??= undefined;
    request.route ??= undefined;
    keepVerified(request, undefined);
    const symbols = request as unknown as Record<symbol, unknown>;
    for (const symbol of this.symbolsAdded ?? []) symbols[symbol] ??= undefined;
    const { statusCode } = response;
    response.statusCode = statusCode;
    response.locals ??= Object.create(null) as object;
  }

  /** In the first middleware. */
  learn(request: IncomingMessage): void {
    if (this.symbolsAdded || !this.symbolsBefore) return;
    const known = new Set(this.symbolsBefore);
    this.symbolsAdded = Object.getOwnPropertySymbols(request).filter((symbol) => !known.has(symbol));
  }
}
