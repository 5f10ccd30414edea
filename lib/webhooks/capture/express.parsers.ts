import { type IncomingMessage, type ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { readEvent, type ReadEvent } from '../delivery/read-event.js';
import { type WebhookReceiver } from '../delivery/webhook.receiver.js';
import { signedDelivery } from '../routes/http-request.js';
import { refuseBody } from '../routes/refuse-body.js';
import { answerRefusal, type ResponseLike, sendRefusal } from '../routes/webhook-refusal.js';
import { type BodyRefusal, capturedBody, keepBody } from './captured-body.js';
import { type ExpressLike, type ExpressRequest, type Next } from './express.capture.js';

/** What `express.json()` takes unless it is told otherwise: `limit: '100kb'`. */
const PARSER_LIMIT = 102_400;

/** Who receives the deliveries of a route that no other route can take. */
export type RouteReceiver = Pick<WebhookReceiver, 'scope' | 'verify' | 'reportUnsigned'>;

/**
 * Comes right before Nest's body parsers, behind what the application put there. A parser would wait for a body that is refused
 * already, or refuse a delivery in the guard's place, and the application's filters would answer it. So a delivery that is
 * refused, or whose signature is wrong, is answered here, and what a parser would refuse is read off: a parser passes by a body
 * that was read.
 *
 * @param receiverOf Undefined where another route may take the request: nothing of this happens then.
 */
export function settleBeforeParsers(
  app: ExpressLike,
  receiverOf: (request: ExpressRequest) => RouteReceiver | undefined,
  onRefusal: (account: string, status: BodyRefusal) => void,
): void {
  app.use((request, response, next) => {
    const captured = request.readable ? capturedBody(request) : undefined;
    const isRead = captured !== undefined && !(captured instanceof Promise);
    const receiver = isRead ? receiverOf(request) : undefined;
    if (!isRead || !receiver) {
      next();
      return;
    }
    const { account } = receiver.scope;
    if ('refusedWith' in captured) {
      const { refusedWith } = captured;
      if (refusedWith === 401) receiver.reportUnsigned();
      onRefusal(account, refusedWith);
      sendRefusal(refuseBody(refusedWith, request, response, response), response);
      return;
    }
    const { bytes, release } = captured;
    const settle = (isGenuine: boolean): void => {
      release?.();
      if (isGenuine) passOn(request, bytes, receiver, next);
      else {
        onRefusal(account, 401);
        refuseForged(request, response);
      }
    };
    const isGenuine = receiver.verify(signedDelivery(request, bytes));
    if (isGenuine instanceof Promise) isGenuine.then(settle).catch(next);
    else settle(isGenuine);
  });
}

function passOn(request: IncomingMessage, bytes: Uint8Array, receiver: RouteReceiver, next: Next): void {
  const read = readEvent(bytes);
  keepBody(request, { bytes, genuine: { receiver, read } });
  if (isParsable(request, bytes, read)) next();
  else readOff(request, next);
}

/** All of it has come. */
function refuseForged(request: IncomingMessage, response: ServerResponse & ResponseLike): void {
  request.resume();
  // The application may have answered while the scheme was asked.
  if (!response.headersSent) answerRefusal(401, response);
}

/** Whether `express.json()` takes it, as far as that is known; it looks at JSON alone. */
function isParsable({ headers }: IncomingMessage, bytes: Uint8Array, read: ReadEvent): boolean {
  if (bytes.length > PARSER_LIMIT || /charset="?utf8/i.test(headers['content-type'] ?? '')) return false;
  return 'event' in read || read.status !== 400;
}

/** All of it has come: it was put back. */
function readOff(request: IncomingMessage, next: Next): void {
  finished(request, () => {
    next();
  });
  request.resume();
}
