import { type IncomingMessage } from 'node:http';
import { type Readable } from 'node:stream';
import { CollectedBytes, type ReadLimits } from './collected-bytes.js';

/** Why a body was not read to its end. */
export type UnreadBody = 'too long' | 'no room' | 'too slow' | 'broken off';

/** The bytes of a body, or why there are none. */
export type ReadBody = Uint8Array | UnreadBody;

/**
 * Takes a body that has come whole with its head, as nearly every delivery does: no timer, no listener. Undefined where more is to
 * come, or somebody else reads it too.
 */
export function takeWhole(
  request: IncomingMessage,
  { announced, unverified }: ReadLimits,
): ReadBody | undefined {
  const { readableLength: length } = request;
  if (length === 0 || length !== announced || request.readableEncoding !== null) return undefined;
  if (request.listenerCount('data') + request.listenerCount('readable') > 0) return undefined;
  return unverified.admit(length, true) ? (request.read() as Uint8Array) : 'no room';
}

/** Reads a stream to its end, or until one of the limits; the rest of it may flow on. Never rejects. */
export function readBody(stream: Readable, limits: ReadLimits): Promise<ReadBody> {
  return new Promise((resolve) => {
    const collected = new CollectedBytes(limits);
    const finish = (body: ReadBody): void => {
      clearTimeout(timer);
      stream.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
      resolve(body);
    };
    const take = (chunk: Uint8Array | string): void => {
      const problem = collected.add(chunk);
      if (problem) finish(problem);
    };
    const end = (): void => {
      finish(collected.whole());
    };
    const breakOff = (): void => {
      finish('broken off');
    };
    const timer = setTimeout(finish, limits.ms, 'too slow');
    stream.on('data', take).on('end', end).on('error', breakOff).on('close', breakOff);
  });
}
