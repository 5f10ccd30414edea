import { BadRequestException } from '@nestjs/common';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Readable } from 'node:stream';
import { isReadableContent } from './content-rules.js';
import { dropRest } from './drop-rest.js';

/** The exact bytes of a delivery, or the status with which it is refused: 400 where it broke off. */
export type CapturedBody = { readonly bytes: Uint8Array } | { readonly refusedWith: 400 | 413 | 415 };

/** Each chunk costs hundreds of bytes, and a sender may cut its body into single ones: so many become one. */
const PUT_TOGETHER = 1_024;

const CAPTURED = Symbol.for('nestjs-payments.captured-body');

type CapturingRequest = IncomingMessage & { [CAPTURED]?: CapturedBody };

/** What was captured of a request; undefined where somebody else read the body first. */
export function capturedBody(request: IncomingMessage): CapturedBody | undefined {
  return (request as CapturingRequest)[CAPTURED];
}

/** What a request whose body broke off ends with: no route may take it for one without a body. Undefined for any other. */
export function brokenOff(captured: CapturedBody | undefined): BadRequestException | undefined {
  const brokeOff = captured && 'refusedWith' in captured && captured.refusedWith === 400;
  return brokeOff ? new BadRequestException('The request was aborted.') : undefined;
}

/**
 * Reads the body of a request and keeps it beside the request. Of a body that is refused nothing more is read until it is
 * answered. Never rejects.
 */
export async function captureBody(
  request: IncomingMessage,
  response: ServerResponse,
  stream: Readable,
  limit: number,
): Promise<CapturedBody> {
  const readable = isReadableContent(request.headers);
  const body = await readAtMost(stream, readable ? limit : 0);
  if (body === 'too long') dropRest(request, response, stream);
  const captured = judged(body, readable);
  (request as CapturingRequest)[CAPTURED] = captured;
  return captured;
}

function judged(body: Uint8Array | 'too long' | 'broken off', readable: boolean): CapturedBody {
  if (body === 'broken off') return { refusedWith: 400 };
  if (!readable) return { refusedWith: 415 };
  return body === 'too long' ? { refusedWith: 413 } : { bytes: body };
}

/** All bytes of a stream; it is at rest as soon as there are more than `limit`. */
function readAtMost(stream: Readable, limit: number): Promise<Uint8Array | 'too long' | 'broken off'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let taken = 0;
    const take = (chunk: Uint8Array | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      length += bytes.length;
      if (length <= limit) {
        chunks.push(bytes);
        taken += 1;
        if (taken % PUT_TOGETHER === 0) chunks.push(Buffer.concat(chunks.splice(-PUT_TOGETHER)));
        return;
      }
      stream.off('data', take).pause();
      chunks.length = 0;
      resolve('too long');
    };
    const breakOff = (): void => {
      resolve('broken off');
    };
    stream.on('data', take);
    stream.on('end', () => {
      const [first] = chunks;
      resolve(first && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    stream.on('error', breakOff);
    stream.on('close', breakOff);
  });
}
