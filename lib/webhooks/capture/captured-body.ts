import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Readable } from 'node:stream';
import { isReadableContent } from './content-rules.js';
import { dropRest } from './drop-rest.js';

/** The exact bytes of a delivery, or the status with which the guard refuses it. */
export type CapturedBody = { readonly bytes: Uint8Array } | { readonly refusedWith: 413 | 415 };

const CAPTURED = Symbol.for('nestjs-payments.captured-body');

type CapturingRequest = IncomingMessage & { [CAPTURED]?: CapturedBody };

/** What was captured of a request; undefined where somebody else read the body first. */
export function capturedBody(request: IncomingMessage): CapturedBody | undefined {
  return (request as CapturingRequest)[CAPTURED];
}

/**
 * Reads the body of a request and keeps it beside the request. Of a body that is refused nothing more is read until it is
 * answered.
 */
export async function captureBody(
  request: IncomingMessage,
  response: ServerResponse,
  stream: Readable,
  limit: number,
): Promise<CapturedBody> {
  const readable = isReadableContent(request.headers);
  const bytes = await readAtMost(stream, readable ? limit : 0);
  const captured: CapturedBody = readable ? (bytes ? { bytes } : { refusedWith: 413 }) : { refusedWith: 415 };
  if (!bytes) dropRest(request, response, stream);
  (request as CapturingRequest)[CAPTURED] = captured;
  return captured;
}

/** All bytes of a stream; undefined, with the stream at rest, as soon as there are more than `limit`. */
function readAtMost(stream: Readable, limit: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const take = (chunk: Uint8Array | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      length += bytes.length;
      if (length <= limit) {
        chunks.push(bytes);
        return;
      }
      stream.off('data', take).pause();
      chunks.length = 0;
      resolve(undefined);
    };
    stream.on('data', take);
    stream.on('end', () => {
      const [first] = chunks;
      resolve(first && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    stream.on('error', reject);
    stream.on('close', () => {
      // An error is dear, and every stream closes in the end.
      if (!stream.readableEnded) reject(new Error('the connection was closed before the body ended'));
    });
  });
}
