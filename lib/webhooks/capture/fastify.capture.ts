import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { brokenOff, captureBody } from './captured-body.js';

type Done = (error: Error | null, payload: Readable) => void;
type PreParsing = (
  request: { readonly raw: IncomingMessage },
  reply: { readonly raw: ServerResponse },
  payload: Readable,
  done: Done,
) => void;

interface RouteOptions {
  preParsing?: PreParsing | PreParsing[];
}

/** The part of a Fastify instance that is used. */
export interface FastifyLike {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown;
}

/**
 * Reads the bodies of webhook routes before the content type parsers. No other route gets a hook.
 *
 * @param accountOfNewRoute The account of the route that is being registered, where it receives webhooks.
 */
export function captureOnFastify(
  app: FastifyLike,
  accountOfNewRoute: () => string | undefined,
  bodyLimitOf: (account: string) => number | undefined,
): void {
  app.addHook('onRoute', (route) => {
    const account = accountOfNewRoute();
    if (account === undefined) return;
    const capture: PreParsing = (request, reply, payload, done) => {
      void captureBody(request.raw, reply.raw, payload, bodyLimitOf(account) ?? 0).then((captured) => {
        done(brokenOff(captured) ?? null, alreadyRead(request.raw));
      });
    };
    route.preParsing = [route.preParsing ?? [], capture].flat();
  });
}

/**
 * What the parser finds instead of the body: JSON, whatever the delivery holds, so that it never answers in the guard's
 * place. Without the header it does not compare lengths.
 */
function alreadyRead({ headers }: IncomingMessage): Readable {
  delete headers['content-length'];
  return new Readable({ read: giveNull });
}

const NULL = Buffer.from('null');

function giveNull(this: Readable): void {
  this.push(NULL);
  this.push(null);
}
