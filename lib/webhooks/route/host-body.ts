import { type ExecutionContext } from '@nestjs/common';
import { isUint8Array } from 'node:util/types';
import { SafeLogger } from '../../common/safe-logger.js';
import { type WebhookHostRequest } from '../../config/webhook-options.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { NO_BODY } from '../raw-body/fastify-raw-body.js';
import { contentProblem, bytesOf } from '../delivery/host-webhook.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { headerValues } from '../raw-body/http-request.js';
import { nodeRequest } from '../raw-body/request-state.js';
import { WebhookRefusal } from '../raw-body/webhook-refusal.js';

type Receiver = Pick<WebhookReceiver, 'rawBody' | 'limits'>;

/** The bytes that the application's `webhooks.rawBody` gives; undefined where there is no such option, or it gives none. */
export async function bodyByOption(
  context: ExecutionContext,
  receiver: Receiver,
): Promise<Uint8Array | undefined> {
  const { rawBody } = receiver;
  if (!rawBody) return undefined;
  const given = await rawBodyOf(context, rawBody);
  return given && checked(given, context, receiver);
}

/** The bytes that the host, or something between it and the route, left at `request.rawBody`. */
export function bodyLeftByHost(context: ExecutionContext, receiver: Receiver): Uint8Array | undefined {
  const request = context.switchToHttp().getRequest<WebhookHostRequest>();
  const left = [nodeRequest(context) as WebhookHostRequest, request].map(({ rawBody }) => rawBody);
  const given = left.filter((value) => isUint8Array(value) || typeof value === 'string').map(bytesOf);
  const bytes = given.find((value) => Buffer.compare(value, NO_BODY) !== 0);
  return bytes && checked(bytes, context, receiver);
}

async function rawBodyOf(
  context: ExecutionContext,
  rawBody: NonNullable<Receiver['rawBody']>,
): Promise<Uint8Array | undefined> {
  try {
    const given: unknown = await rawBody(context.switchToHttp().getRequest<WebhookHostRequest>());
    return given === undefined || given === null ? undefined : bytesOf(given);
  } catch (error) {
    new SafeLogger('PaymentsWebhooks').error(
      `The option webhooks.rawBody gave no bytes, so a webhook cannot be verified; answered 500: ${failureLabel(error)}`,
    );
    throw new WebhookRefusal(500, 'This webhook cannot be verified.');
  }
}

/** What the package did not read itself it has not judged yet either. */
function checked(body: Uint8Array, context: ExecutionContext, { limits }: Receiver): Uint8Array {
  const problem = contentProblem({ headers: headerValues(nodeRequest(context)), body }, limits.bodyLimit);
  if (problem) throw new WebhookRefusal(problem.status, problem.message);
  return body;
}
