import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type BodyRefusal } from '../capture/captured-body.js';
import { dropRest } from '../capture/drop-rest.js';
import { refusalOf, type ResponseLike, type WebhookRefusal } from './webhook-refusal.js';

/** When a sender is asked to come again for whose delivery there was no room. */
const RETRY_SECONDS = 5;

/** The answer to a delivery that cannot be verified; what is left of its body is thrown away behind it. */
export function refuseBody(
  status: BodyRefusal,
  request: IncomingMessage,
  nodeResponse: ServerResponse,
  response: ResponseLike,
): WebhookRefusal {
  dropRest(request, nodeResponse);
  if (status === 503) response.header('Retry-After', String(RETRY_SECONDS));
  return refusalOf(status);
}
