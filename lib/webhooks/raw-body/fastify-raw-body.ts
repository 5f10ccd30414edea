import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { checkHead, type DeliveryLimits } from '../delivery/delivery-head.js';
import { type RouteAccount } from '../delivery/route-account.js';
import { type OnOtherStatus, routeProgress } from './answered-request.js';
import { dropUnlessRead } from './drain-request.js';
import {
  capturedBodies,
  type CapturedBody,
  isBeingRead,
  readBody,
  type ReadLimits,
  releaseAtEnd,
  takeWhole,
  type UnverifiedBytes,
} from './captured-body.js';
import { abortedRequest } from './webhook-refusal.js';

type Done = (error: Error | null, payload: Readable) => void;
type PreParsing = (
  request: { readonly raw: IncomingMessage; readonly params?: unknown },
  reply: { readonly raw: ServerResponse },
  payload: Readable,
  done: Done,
) => void;

type OnResponse = (
  request: { readonly raw: IncomingMessage },
  reply: { readonly raw: ServerResponse },
  done: () => void,
) => void;

interface RouteOptions {
  /** The whole path. */
  readonly url: string;
  preParsing?: PreParsing | PreParsing[];
  onResponse?: OnResponse | OnResponse[];
}

/** The part of a Fastify instance that is used. */
export interface FastifyLike {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown;
}

/**
 * Reads the bodies of webhook routes before the content type parsers. Other routes get no hook, even with the
 * same path: Fastify chooses the route before it reads a body.
 *
 * @param accountsOfNewRoute The accounts that the new route may belong to. None: it receives no webhooks.
 */
export function captureOnFastify(
  app: FastifyLike,
  accountsOfNewRoute: () => readonly RouteAccount[],
  limitsOf: (accounts: readonly RouteAccount[], parameters: unknown) => DeliveryLimits | undefined,
  unverified: UnverifiedBytes,
  onOtherStatus: OnOtherStatus,
): void {
  app.addHook('onRoute', (route) => {
    const accounts = accountsOfNewRoute();
    const [account, ...others] = accounts;
    if (account === undefined) return;
    const capture: PreParsing = ({ raw, params }, reply, payload, done) => {
      // A host has read the body. The guard looks where the host left the bytes.
      if (payload.readableDidRead || !payload.readable) {
        done(null, alreadyRead(raw));
        return;
      }
      const limits = limitsOf(accounts, params);
      if (!limits) {
        done(null, payload);
        return;
      }
      void captureBody(raw, reply.raw, payload, limits, unverified).then((captured) => {
        capturedBodies.set(raw, captured);
        const refusedWith = 'refusedWith' in captured ? captured.refusedWith : undefined;
        if (refusedWith) dropUnlessRead(raw, reply.raw);
        done((refusedWith && abortedRequest(refusedWith)) ?? null, alreadyRead(raw));
      });
    };
    route.preParsing = [route.preParsing ?? [], capture].flat();
    // Below a parameter a middleware may answer some of the paths itself.
    if (typeof account !== 'string' || others.length > 0 || route.url.includes(':')) return;
    const watch: OnResponse = ({ raw: request }, { raw: response }, done) => {
      const { statusCode: status } = response;
      // In HTTP/2, the response to a delivery that the client cut off finishes too.
      if (response.headersSent && routeProgress.get(request) !== status) {
        onOtherStatus({ request, account, path: route.url, status });
      }
      done();
    };
    route.onResponse = [route.onResponse ?? [], watch].flat();
  });
}

/** Reads nothing more of a refused body until it is answered. */
async function captureBody(
  request: IncomingMessage,
  response: ServerResponse,
  payload: Readable,
  limits: DeliveryLimits,
  unverified: UnverifiedBytes,
): Promise<CapturedBody> {
  const head = checkHead(request, limits);
  if ('refusedWith' in head) return head;
  const body = unverified.body(limits.unverifiedBytesLimit);
  // A guard of the application may answer instead of the package's.
  releaseAtEnd(response, body);
  const { bodyLimit: bytes, bodyTimeoutMs: ms } = limits;
  const readLimits = { bytes, ms, announced: head.announced, unverified: body };
  // Another reader lets the body flow at the next tick.
  const early = isBeingRead(payload) || isBeingRead(request) ? readBody(payload, readLimits) : undefined;
  const captured = await (early ?? bufferedBody(request, payload, readLimits));
  if ('refusedWith' in captured) payload.pause();
  return captured;
}

/** After a tick, the buffer holds the part of the body that came with the head. */
async function bufferedBody(
  request: IncomingMessage,
  payload: Readable,
  limits: ReadLimits,
): Promise<CapturedBody> {
  await Promise.resolve();
  const whole = payload === request ? takeWhole(request, limits) : undefined;
  return whole ?? readBody(payload, limits);
}

/**
 * Gives the parser an empty object, so that it does not refuse the delivery instead of the guard. Guards, hooks and parsers
 * of the application read fields of whatever body they get.
 */
function alreadyRead({ headers }: IncomingMessage): Readable {
  // Without it, the parser does not compare lengths. Without both, Fastify needs no parser for a body without a type.
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  return new Readable({ read: giveNothing });
}

/** If Nest keeps raw bodies, it keeps this one. Nobody else spells an empty object so. */
export const NO_BODY: Uint8Array = Buffer.from('{ \t }');

function giveNothing(this: Readable): void {
  this.push(NO_BODY);
  this.push(null);
}
