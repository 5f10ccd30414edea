import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type ActivityHub } from '../core/activity.js';
import { sandboxPayment } from '../core/collection.js';
import { type Gateway } from '../core/gateway.js';
import { sandboxPayout } from '../core/payout.js';
import { JSON_TYPE, send } from '../http/answer.js';
import { parseObject, readBody, saysJson } from '../http/request-body.js';
import { PaymentsSandboxError } from '../sandbox.error.js';
import { type ControlError, type PaymentAction, type PayoutAction } from './control-types.js';
import { decidePayment, decidePayout, type Selection } from './decisions.js';
import { streamEvents } from './event-stream.js';
import { type SandboxView } from './sandbox-view.js';

const PREFIX = '/_sandbox/v1';
const DECISION =
  /^\/(?:payments\/([^/]+)\/(approve|decline|cancel|expire)|payouts\/([^/]+)\/(pay|fail|cancel))$/;

interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The control API: what the page, and a test in another language, reads and drives. */
export class ControlRoute {
  constructor(
    private readonly gateway: Gateway,
    private readonly view: SandboxView,
    private readonly hub: ActivityHub,
  ) {}

  matches(path: string): boolean {
    return path.startsWith(`${PREFIX}/`);
  }

  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const resource = path.slice(PREFIX.length);
    if (request.method === 'GET' && resource === '/events') {
      streamEvents(this.hub, response);
      return;
    }
    const { status, body } = await this.answer(request, resource);
    send(response, status, JSON_TYPE, JSON.stringify(body));
  }

  private async answer(request: IncomingMessage, resource: string): Promise<ControlAnswer> {
    if (request.method === 'GET') return this.read(resource);
    if (request.method !== 'POST' || !DECISION.test(resource)) return notFound(request.method, resource);
    if (!saysJson(request))
      return controlError(415, 'CONTENT_TYPE', 'POST needs content-type: application/json.');
    const bytes = await readBody(request);
    if (!bytes) return controlError(413, 'TOO_LARGE', 'The body is too large.');
    const body = parseObject(bytes.toString() || '{}');
    if (!body) return controlError(400, 'BAD_BODY', 'The body is not a JSON object.');
    const merchant = typeof body['merchant'] === 'string' ? body['merchant'] : undefined;
    return this.decide(resource, merchant);
  }

  private read(resource: string): ControlAnswer {
    switch (resource) {
      case '/info':
        return ok(this.view.info());
      case '/payments':
        return ok({ items: this.view.payments() });
      case '/payouts':
        return ok({ items: this.view.payouts() });
      case '/deliveries':
        return ok({ items: this.view.deliveries() });
      case '/balance':
        return ok({ items: this.gateway.merchants.map((merchant) => merchant.balance()) });
      default:
        return notFound('GET', resource);
    }
  }

  private async decide(resource: string, merchant: string | undefined): Promise<ControlAnswer> {
    const [, payment, paymentAction, payout, payoutAction] = DECISION.exec(resource) ?? [];
    const reference = decoded(payment ?? payout ?? '');
    if (reference === undefined)
      return controlError(400, 'BAD_REFERENCE', 'The reference is not well encoded.');
    const selection: Selection = { reference, merchant };
    try {
      return payment === undefined
        ? ok(sandboxPayout(decidePayout(this.gateway, selection, payoutAction as PayoutAction)))
        : ok(sandboxPayment(await decidePayment(this.gateway, selection, paymentAction as PaymentAction)));
    } catch (error) {
      if (!(error instanceof PaymentsSandboxError)) throw error;
      return controlError(error.code === 'SANDBOX_NOT_FOUND' ? 404 : 409, error.code, error.message);
    }
  }
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function ok(body: unknown): ControlAnswer {
  return { status: 200, body };
}

function notFound(method: string | undefined, resource: string): ControlAnswer {
  return controlError(404, 'NOT_FOUND', `The control API has no ${method ?? ''} ${PREFIX}${resource}.`);
}

export function controlError(status: number, code: string, message: string): ControlAnswer {
  const body: ControlError = { error: { code, message } };
  return { status, body };
}
