import { BadRequestException } from '@nestjs/common';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { captureBody, capturedBody } from './captured-body.js';

type Next = (error?: unknown) => void;
type ExpressRequest = IncomingMessage & { readonly path: string };
type Middleware = (request: ExpressRequest, response: ServerResponse, next: Next) => void;

/** The part of an Express application that is used. */
export interface ExpressLike {
  use(middleware: Middleware): unknown;
}

/** Reads the bodies of webhook routes before any body parser; the parsers skip a body that was read or is hidden. */
export function captureOnExpress(
  app: ExpressLike,
  bodyLimitAt: (method: string, path: string) => number | undefined,
): void {
  app.use((request, response, next) => {
    // Not the URL: the router also takes `http://host/path` and `/path#fragment`, and reads the path as this does.
    const limit = bodyLimitAt(request.method ?? '', request.path);
    // Somebody read it before us: the guard says so, loudly.
    if (limit === undefined || request.readableDidRead) {
      next();
      return;
    }
    captureBody(request, response, request, limit).then(
      (captured) => {
        if ('refusedWith' in captured) hideBody(request);
        Object.defineProperty(request, 'body', PARSED_BODY);
        next();
      },
      () => {
        next(new BadRequestException('The request was aborted.'));
      },
    );
  });
}

/** A body parser would read what is left of a refused body, and answer in the guard's place. */
function hideBody({ headers }: IncomingMessage): void {
  delete headers['content-length'];
  delete headers['transfer-encoding'];
}

/**
 * For a foreign route of the same path, behind another version or host: its body is parsed when it asks. One property for all
 * requests, so that they stay of one shape.
 */
const PARSED_BODY: PropertyDescriptor & ThisType<IncomingMessage> = {
  configurable: true,
  enumerable: true,
  get() {
    const captured = capturedBody(this);
    return captured && 'bytes' in captured ? parsed(captured.bytes) : undefined;
  },
  set(value: unknown) {
    Object.defineProperty(this, 'body', { configurable: true, enumerable: true, writable: true, value });
  },
};

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
