import { BadRequestException } from '@nestjs/common';
import { type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { captureBody } from './captured-body.js';

interface FastifyRequestLike {
  readonly raw: IncomingMessage;
  readonly routeOptions: {
    readonly method: string | string[];
    readonly url?: string;
    readonly version?: unknown;
  };
}

type Done = (error: unknown, payload?: Readable) => void;
type PreParsing = (request: FastifyRequestLike, reply: unknown, payload: Readable, done: Done) => void;

/** The part of a Fastify instance that is used. */
export interface FastifyLike {
  addHook(name: 'preParsing', hook: PreParsing): unknown;
}

/** Reads the bodies of webhook routes before the content type parsers. */
export function captureOnFastify(
  app: FastifyLike,
  bodyLimitAt: (method: string, path: string) => number | undefined,
): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { method, url = '', version } = request.routeOptions;
    // A route behind a version is somebody else's: webhook routes are version-neutral.
    const limit = version === undefined ? bodyLimitAt(String(method), url) : undefined;
    if (limit === undefined) {
      done(null, payload);
      return;
    }
    captureBody(request.raw, payload, limit).then(
      () => {
        done(null, alreadyRead(request.raw));
      },
      () => {
        done(new BadRequestException('The request was aborted.'));
      },
    );
  });
}

/**
 * What the parser finds instead of the body: JSON, whatever the delivery holds, so that it never answers in the guard's
 * place. Without the header it does not compare lengths.
 */
function alreadyRead({ headers }: IncomingMessage): Readable {
  delete headers['content-length'];
  return Readable.from([Buffer.from('null')]);
}
