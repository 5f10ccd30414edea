import { type IncomingMessage, type ServerResponse } from 'node:http';
import { brokenOff, captureBody, capturedBody } from './captured-body.js';
import { giveShape } from './request-shape.js';

type Handle = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;
type ExpressRequest = IncomingMessage & { readonly path: string };
type Next = (error?: unknown) => void;
type Middleware = (request: ExpressRequest, response: ServerResponse, next: Next) => void;

/** The part of an Express application that is used. */
export interface ExpressLike {
  /** What requests inherit from. */
  readonly request: object;
  readonly router: { readonly stack: readonly unknown[] };
  handle: Handle;
  use(middleware: Middleware): unknown;
}

/** Nest puts one on every instance. */
const MIDDLEWARES_OF_NEST = 1;

/**
 * Reads the bodies of webhook routes before any body parser; the parsers skip a body that was read or is hidden. It is done
 * before Express begins, unless the application put something on its instance before Nest got it: that stays in front.
 */
export function captureOnExpress(
  app: ExpressLike,
  bodyLimitAt: (method: string, path: string) => number | undefined,
): void {
  const limitFor = (request: IncomingMessage, path: string): number | undefined =>
    // Where somebody else read it before us, the guard says so, loudly.
    request.readableDidRead || capturedBody(request) ? undefined : bodyLimitAt(request.method ?? '', path);
  if (app.router.stack.length <= MIDDLEWARES_OF_NEST) captureBeforeExpress(app, limitFor);
  app.use((request, response, next) => {
    const limit = limitFor(request, request.path);
    if (limit === undefined) {
      next(brokenOff(capturedBody(request)));
      return;
    }
    void capture(request, response, limit).then(() => {
      next(brokenOff(capturedBody(request)));
    });
  });
}

function captureBeforeExpress(
  app: ExpressLike,
  limitFor: (request: IncomingMessage, path: string) => number | undefined,
): void {
  const handle = app.handle.bind(app);
  app.handle = (request, response, next) => {
    const limit = limitFor(request, pathOf(app, request));
    if (limit === undefined) {
      handle(request, response, next);
      return;
    }
    void capture(request, response, limit).then(() => {
      // Somebody around this application may have answered meanwhile: Express would throw, and nobody catch it.
      if (response.headersSent) return;
      giveShape(request, response);
      handle(request, response, next);
    });
  };
}

/** Not the URL: the router also takes `http://host/path` and `/path#fragment`, and reads the path as this does. */
function pathOf({ request: inherited }: ExpressLike, request: IncomingMessage): string {
  try {
    return Reflect.get(inherited, 'path', request) as string;
  } catch {
    // The router finds none either.
    return '';
  }
}

async function capture(request: IncomingMessage, response: ServerResponse, limit: number): Promise<void> {
  const captured = await captureBody(request, response, request, limit);
  if ('refusedWith' in captured) hideBody(request);
  Object.defineProperty(request, 'body', PARSED_BODY);
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
