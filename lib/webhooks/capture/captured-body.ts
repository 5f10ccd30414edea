import { type IncomingMessage } from 'node:http';
import { type Readable } from 'node:stream';
import { isReadableContent } from './content-rules.js';

/** The exact bytes of a delivery, or the status with which the guard refuses it. */
export type CapturedBody = { readonly bytes: Uint8Array } | { readonly refusedWith: 413 | 415 };

const CAPTURED = Symbol.for('nestjs-payments.captured-body');

type CapturingRequest = IncomingMessage & { [CAPTURED]?: CapturedBody };

/** What was captured of a request; undefined where somebody else read the body first. */
export function capturedBody(request: IncomingMessage): CapturedBody | undefined {
  return (request as CapturingRequest)[CAPTURED];
}

/** Reads the whole body of a request and keeps it beside the request. */
export async function captureBody(
  request: IncomingMessage,
  stream: Readable,
  limit: number,
): Promise<CapturedBody> {
  const readable = isReadableContent(request.headers);
  const bytes = await readAtMost(stream, readable ? limit : 0);
  const captured: CapturedBody = readable ? (bytes ? { bytes } : { refusedWith: 413 }) : { refusedWith: 415 };
  (request as CapturingRequest)[CAPTURED] = captured;
  return captured;
}

/**
 * All bytes of a stream; undefined where there are more than `limit`. The rest is drained without being kept, so that
 * no body parser finds half a body and the sender gets to read its answer.
 */
function readAtMost(stream: Readable, limit: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    stream.on('data', (chunk: Uint8Array | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      length += bytes.length;
      if (length <= limit) chunks.push(bytes);
      else chunks.length = 0;
    });
    stream.once('end', () => {
      resolve(length <= limit ? Buffer.concat(chunks) : undefined);
    });
    stream.once('error', reject);
    stream.once('close', () => {
      reject(new Error('the connection was closed before the body ended'));
    });
  });
}
