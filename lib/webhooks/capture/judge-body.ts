import { BadRequestException } from '@nestjs/common';
import { type BodyRefusal, type CapturedBody } from './captured-body.js';
import { type ReadBody, type UnreadBody } from './read-body.js';
import { type UnverifiedBody } from './unverified-bytes.js';

const REFUSALS: Readonly<Record<UnreadBody, BodyRefusal>> = {
  'broken off': 400,
  'too slow': 408,
  'too long': 413,
  'no room': 503,
};

/** What a body that was read is to the guard; of one that is refused nothing counts as held any longer. */
export function judgeBody(body: ReadBody, unverified: UnverifiedBody): CapturedBody {
  if (typeof body !== 'string') return { bytes: body, release: unverified.release };
  unverified.release();
  return { refusedWith: REFUSALS[body] };
}

/** What a request whose body broke off ends with: no route may take it for one without a body. Undefined for any other. */
export function abortedRequest(captured: CapturedBody): BadRequestException | undefined {
  const isAborted = 'refusedWith' in captured && captured.refusedWith === 400;
  return isAborted ? new BadRequestException('The request was aborted.') : undefined;
}
