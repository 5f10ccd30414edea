import { type IncomingMessage, type ServerResponse } from 'node:http';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { send, sendJson } from '../http/answer.js';
import { BODY_LIMIT, parseObject, readBody, saysJson } from '../http/request-body.js';
import { PaymentsSandboxError } from '../core/sandbox.error.js';
import { checkBody, queryOf, subjectOf } from './call-checks.js';
import { ControlProblem } from './control-problem.js';
import { EventLog } from './event-log.js';
import { EventStream } from './event-stream.js';
import { deliveryHandlers } from './handlers/delivery-handlers.js';
import { endpointHandlers } from './handlers/endpoint-handlers.js';
import { faultHandlers } from './handlers/fault-handlers.js';
import { moneyHandlers } from './handlers/money-handlers.js';
import { paymentHandlers } from './handlers/payment-handlers.js';
import { systemHandlers } from './handlers/system-handlers.js';
import {
  type ControlCall,
  ControlFile,
  type ControlHandler,
  type ControlOperation,
  type ControlOperationId,
  type FoundOperation,
  operationsAt,
} from './control-operations.js';
import { type SandboxParts } from './sandbox-parts.js';

const PREFIX = '/_sandbox/v1';

/** One handler for each operation of the document. */
type Handlers = Readonly<Record<Exclude<ControlOperationId, 'streamEvents'>, ControlHandler>>;

/** The control API, for the page and for tests in other languages. */
export class ControlRoute {
  private readonly handlers: Handlers;
  private readonly events: EventStream;

  constructor(parts: SandboxParts) {
    this.events = new EventStream(new EventLog(parts.activity));
    this.handlers = {
      ...paymentHandlers(parts),
      ...moneyHandlers(parts),
      ...endpointHandlers(parts),
      ...deliveryHandlers(parts),
      ...faultHandlers(parts),
      ...systemHandlers(parts),
    };
  }

  matches(path: string): boolean {
    return path.startsWith(`${PREFIX}/`);
  }

  /** Whether it answers without a token: the health check of a container has none. */
  isPublic(path: string): boolean {
    return path === `${PREFIX}/health`;
  }

  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const send = await this.answerTo(request, response, path).catch((error: unknown) => {
      const problem = asProblem(error);
      if (!problem) throw error;
      return () => {
        sendJson(response, problem.status, problem.body);
      };
    });
    // An answer that cannot be sent, because its change was not written, is no problem of the call.
    send();
  }

  /** Makes a call, and returns what sends its answer. */
  private async answerTo(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<() => void> {
    const { operation, subject } = operationFor(request.method ?? '', path.slice(PREFIX.length));
    const call = await callOf(request, operation, subject);
    const { id } = operation;
    if (id === 'streamEvents') {
      return () => {
        this.events.open(request, response);
      };
    }
    const answer = await this.handlers[id](call);
    return () => {
      sendAnswer(response, operation, answer);
    };
  }
}

function sendAnswer(response: ServerResponse, { status }: ControlOperation, answer: unknown): void {
  if (!(answer instanceof ControlFile)) {
    sendJson(response, status, answer);
    return;
  }
  const { name, contentType, text } = answer;
  send(response, status, contentType, text, { 'content-disposition': `attachment; filename="${name}"` });
}

function operationFor(method: string, path: string): FoundOperation {
  const there = operationsAt(path);
  const found = there.find(({ operation }) => operation.method === method);
  if (found) return found;
  if (there.length === 0) {
    const message = `The control API has no ${method} ${PREFIX}${path}: ${PREFIX}/openapi.json lists its calls.`;
    throw new ControlProblem(404, 'NOT_FOUND', message);
  }
  const methods = there.map(({ operation }) => operation.method).join(' or ');
  const message = `${PREFIX}${path} understands ${methods}, not ${method}.`;
  throw new ControlProblem(405, 'METHOD_NOT_ALLOWED', message);
}

async function callOf(
  request: IncomingMessage,
  operation: ControlOperation,
  segment: string,
): Promise<ControlCall> {
  const query = queryOf(operation, (request.url ?? '').split('?').slice(1).join('?'));
  const subject = subjectOf(operation, segment, query);
  const body = operation.body === null ? {} : await bodyOf(request);
  checkBody(operation, body);
  return { subject, query, body };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBody(request);
  if (!saysJson(request)) {
    const message = `${request.method ?? ''} needs the header content-type: application/json.`;
    throw new ControlProblem(415, 'CONTENT_TYPE', message);
  }
  if (!bytes) throw new ControlProblem(413, 'TOO_LARGE', `The body is larger than ${BODY_LIMIT} bytes.`);
  const body = parseObject(bytes.toString() || '{}');
  if (body) return body;
  const message = 'The body is not a JSON object of at most a hundred levels: write {} for an empty one.';
  throw new ControlProblem(400, 'BAD_BODY', message);
}

/** Returns undefined for a bug of the emulator itself. */
function asProblem(error: unknown): ControlProblem | undefined {
  if (error instanceof ControlProblem) return error;
  if (error instanceof PaymentsConfigError) return new ControlProblem(422, 'INVALID_BODY', error.message);
  if (!(error instanceof PaymentsSandboxError)) return undefined;
  return new ControlProblem(error.code === 'SANDBOX_NOT_FOUND' ? 404 : 409, error.code, error.message);
}
