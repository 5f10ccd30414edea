import { type IncomingMessage } from 'node:http';
import { isUint8Array } from 'node:util/types';
import { type WebhookHostRequest } from '../../config/webhook-options.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { NO_BODY } from '../raw-body/fastify-raw-body.js';
import { type DeliveryCheck } from '../delivery/delivery-check.js';
import { checkHead, headerValues } from '../delivery/delivery-head.js';
import { bytesOf, contentProblem } from '../delivery/host-webhook.js';
import { refusalOf, WebhookRefusal } from '../raw-body/webhook-refusal.js';

type Receiver = Pick<DeliveryCheck, 'rawBody' | 'limits' | 'signatures'>;

/** A request of Nest and the request of Node behind it. On Express they are the same. */
export interface RouteRequest {
  readonly given: WebhookHostRequest;
  readonly node: IncomingMessage;
}

/**
 * The bytes from the option `webhooks.rawBody`; undefined if it gives none.
 *
 * @param report Gets what is wrong with the option, without a full stop.
 */
export async function bodyByOption(
  rawBody: NonNullable<Receiver['rawBody']>,
  request: RouteRequest,
  receiver: Receiver,
  report: (problem: string) => void,
): Promise<Uint8Array | undefined> {
  let given: Uint8Array | undefined;
  try {
    const raw: unknown = await rawBody(request.given);
    given = raw == null ? undefined : bytesOf(raw);
  } catch (error) {
    throw refusalWithoutBytes(request, receiver, () => {
      report(
        `The option webhooks.rawBody gave no bytes, so a webhook cannot be verified; answered 500: ${failureLabel(error)}`,
      );
    });
  }
  return given && checked(given, request, receiver);
}

/**
 * The answer to a delivery whose bytes nobody has. Strangers send without a signature, so what the head alone refuses is
 * no error of the application.
 *
 * @param report Reports the error.
 */
export function refusalWithoutBytes(
  { node }: RouteRequest,
  { limits, signatures }: Receiver,
  report: () => void,
): WebhookRefusal {
  const head = checkHead(node, limits);
  if ('refusedWith' in head) {
    if (head.refusedWith === 401) signatures.reportUnsigned();
    return refusalOf(head.refusedWith);
  }
  report();
  return new WebhookRefusal(500, 'This webhook cannot be verified.');
}

/** The bytes that the host or a middleware left at `request.rawBody`. */
export function bodyLeftByHost(request: RouteRequest, receiver: Receiver): Uint8Array | undefined {
  const left = [request.node as WebhookHostRequest, request.given].map(({ rawBody }) => rawBody);
  const given = left.filter((value) => isUint8Array(value) || typeof value === 'string').map(bytesOf);
  const bytes = given.find((value) => Buffer.compare(value, NO_BODY) !== 0);
  return bytes && checked(bytes, request, receiver);
}

/** Checks a body that the package did not read itself. */
function checked(body: Uint8Array, { node }: RouteRequest, { limits }: Receiver): Uint8Array {
  const problem = contentProblem({ headers: headerValues(node), body }, limits.bodyLimit);
  if (problem) throw new WebhookRefusal(problem.status, problem.message);
  return body;
}
