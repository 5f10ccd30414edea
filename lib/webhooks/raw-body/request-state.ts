import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type ReadEvent, type VerifiedWebhook } from '../signature/read-event.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { BadRequestException, type ExecutionContext } from '@nestjs/common';
import { type ReadBody, type UnreadBody } from './read-body.js';
import { type UnverifiedBody } from './unverified-bytes.js';

/**
 * Why the body of a delivery is not verified: it broke off (400), lacks a header of the scheme (401), came too slowly (408), is too
 * long (413), is not plain JSON (415), or there was no room for it (503).
 */
export type BodyRefusal = 400 | 401 | 408 | 413 | 415 | 503;

/** The exact bytes of a delivery, or the status with which it is refused. */
export type CapturedBody =
  | {
      readonly bytes: Uint8Array;
      /** To be called when the signature was checked: the bytes no longer count as unverified. */
      readonly release?: () => void;
      /** Where the signature was found right already: the guard does not check it again. */
      readonly genuine?: GenuineBody;
    }
  | { readonly refusedWith: BodyRefusal };

/** A body whose signature is right. */
export interface GenuineBody {
  /** Who found it right: another account may have other keys. */
  readonly receiver: Pick<WebhookReceiver, 'scope'>;
  readonly read: ReadEvent;
}

/** Both beside the requests, not on them: they belong to the application. */
const captured = new WeakMap<IncomingMessage, CapturedBody | Promise<CapturedBody>>();
const verified = new WeakMap<IncomingMessage, ReceivableWebhook>();

/** Keeps the body of a request for the guard; a promise where it is still being read. */
export function keepBody(request: IncomingMessage, body: CapturedBody | Promise<CapturedBody>): void {
  captured.set(request, body);
}

/** What was captured of a request; undefined where somebody else read the body first. */
export function capturedBody(request: IncomingMessage): CapturedBody | Promise<CapturedBody> | undefined {
  return captured.get(request);
}

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

/** A verified delivery and who is to receive it. */
export interface ReceivableWebhook extends VerifiedWebhook {
  readonly receiver: WebhookReceiver;
}

/** Hands a verified delivery from the guard to the route. */
export function keepVerified(request: IncomingMessage, webhook: ReceivableWebhook): void {
  verified.set(request, webhook);
}

/** What the guard verified; undefined where it did not run. */
export function verifiedWebhook(context: ExecutionContext): ReceivableWebhook | undefined {
  return verified.get(nodeRequest(context));
}

/** Node's own request behind the one of Express or Fastify. */
export function nodeRequest(context: ExecutionContext): IncomingMessage {
  const request = context.switchToHttp().getRequest<IncomingMessage & { readonly raw?: IncomingMessage }>();
  return request.raw ?? request;
}

/** Node's own response behind the one of Express or Fastify. */
export function nodeResponse(context: ExecutionContext): ServerResponse {
  const response = context.switchToHttp().getResponse<ServerResponse & { readonly raw?: ServerResponse }>();
  return response.raw ?? response;
}
