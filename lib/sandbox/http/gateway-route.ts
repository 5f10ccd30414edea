import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type TimeSource } from '../clock/sandbox-clock.js';
import { timestamp } from '../clock/timestamp.js';
import { authenticate, type Credentials } from '../core/credentials.js';
import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { isBeforehand } from '../core/fault.js';
import { type Gateway } from '../core/gateway.js';
import { type GatewayAnswer } from '../core/gateway-answer.js';
import { OPERATIONS } from '../core/operations.js';
import { refusedBeforehand } from '../core/refusal.js';
import { findOperation, GATEWAY_PREFIX, methodsOf, type RoutedCall } from '../core/router.js';
import { type Rule } from '../core/rule.js';
import { type CallSubject, type Profile } from '../profile/profile.js';
import { chooseRule } from '../scenarios/choose-rule.js';
import { RequestRecord } from './request-record.js';
import { type FaultQueue } from '../faults/fault-queue.js';
import { BODY_LIMIT, parseObject, readBody, saysJson } from './request-body.js';
import { type RequestJournal, type SandboxRequest } from '../core/request-journal.js';
import { answerInstead, failAfterwards } from './faulty-answers.js';

const SECRET_HEADERS = ['x-api-key', 'x-api-secret', 'authorization'];
const KEY = /^(Bearer )?([ps]k_(?:test|live)_)?.*$/is;

/** Answers the gateway's operations under `/api/v1` and applies their planned faults. */
export class GatewayRoute {
  private calls = 0;
  /** Calls without an answer, with their merchants. */
  private readonly open = new Map<IncomingMessage, string | undefined>();

  constructor(
    private readonly gateway: Gateway,
    private readonly faults: FaultQueue,
    private readonly journal: RequestJournal,
    private readonly clock: TimeSource,
    private readonly events: EventBus<SandboxEvents>,
    private readonly auto: boolean,
    private readonly profile: Profile,
  ) {}

  matches(path: string): boolean {
    return path === GATEWAY_PREFIX || path.startsWith(`${GATEWAY_PREFIX}/`);
  }

  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    this.open.set(request, merchantOf(request));
    response.on('close', () => this.open.delete(request));
    const body = await readBody(request);
    const record = new RequestRecord(
      request,
      response,
      this.entryOf(request, body),
      this.journal,
      this.events,
    );
    const method = request.method ?? '';
    const routed = findOperation(method, path.slice(GATEWAY_PREFIX.length));
    response.setHeader('date', new Date(this.clock.now()).toUTCString());
    if (routed) await this.perform(record, routed, request, body);
    else record.answer(unknownOperation(method, path));
  }

  /** Aborts the unanswered calls of one merchant, or all. */
  abort(merchant?: string): void {
    for (const [request, owner] of this.open) {
      if (merchant === undefined || owner === merchant) request.socket.destroy();
    }
  }

  private async perform(
    record: RequestRecord,
    routed: RoutedCall,
    request: IncomingMessage,
    body: Buffer | undefined,
  ): Promise<void> {
    const subject = subjectOf(routed, request, body);
    const rule = this.ruleOf(subject, request, body);
    const { fault } = rule;
    record.setRule(rule.name, fault?.kind ?? null);
    if (fault && isBeforehand(fault)) {
      answerInstead(record, fault);
      return;
    }
    const processed = this.process(routed, request, body, rule);
    if (processed.ready) await processed.ready;
    const { answer, form, varied } = this.profile.answer(subject, processed);
    record.setForm(form, varied);
    if (fault) failAfterwards(record, fault, answer, this.clock);
    else record.answer(answer);
  }

  private ruleOf(subject: CallSubject, request: IncomingMessage, body: Buffer | undefined): Rule {
    const fields = fieldsOf(body);
    return chooseRule({
      operation: subject.operation,
      fault: this.faults.take(subject),
      header: header(request, 'x-sandbox-scenario'),
      number: text(fields['phone'] ?? fields['account_number'] ?? fields['recipient_phone']),
      auto: this.auto,
    });
  }

  private process(
    { operation, parameters }: RoutedCall,
    request: IncomingMessage,
    body: Buffer | undefined,
    rule: Rule,
  ): GatewayAnswer {
    const credentials = credentialsOf(request);
    const idempotencyKey = header(request, 'idempotency-key');
    const call = { operation, parameters, credentials, rule, idempotencyKey };
    if (!OPERATIONS[operation].request) return this.gateway.handle({ ...call, body: undefined });
    // Check the keys first: a caller without valid keys learns nothing about the body.
    const merchant = authenticate(credentials);
    if (typeof merchant !== 'string') return merchant;
    if (!body) return badRequest(413, `The body is larger than ${BODY_LIMIT} bytes.`);
    if (!saysJson(request)) return badRequest(415, 'Send the body as Content-Type: application/json.');
    const parsed = parseObject(body.toString());
    return parsed
      ? this.gateway.handle({ ...call, body: parsed })
      : badRequest(400, 'The body is not a JSON object, or has more than a hundred levels.');
  }

  private entryOf(request: IncomingMessage, body: Buffer | undefined): SandboxRequest {
    const text = body?.toString() ?? '';
    return {
      id: String(++this.calls),
      at: timestamp(this.clock.now()),
      merchant: merchantOf(request) ?? null,
      method: request.method ?? '',
      path: request.url ?? '',
      headers: maskedHeaders(request),
      body: text === '' ? null : (parseObject(text) ?? text),
      status: null,
      code: null,
      fault: null,
      rule: null,
      varied: [],
    };
  }
}

function unknownOperation(method: string, path: string): GatewayAnswer {
  const methods = methodsOf(path.slice(GATEWAY_PREFIX.length));
  return methods.length > 0
    ? refusedBeforehand(
        405,
        'METHOD_NOT_ALLOWED',
        `${path} understands ${methods.join(', ')}, not ${method}.`,
      )
    : refusedBeforehand(404, 'NOT_FOUND', `There is no operation ${method} ${path}.`);
}

function badRequest(status: number, message: string): GatewayAnswer {
  return refusedBeforehand(status, 'INVALID_REQUEST', message);
}

/** Returns undefined for invalid keys. */
function merchantOf(request: IncomingMessage): string | undefined {
  const merchant = authenticate(credentialsOf(request));
  return typeof merchant === 'string' ? merchant : undefined;
}

function credentialsOf(request: IncomingMessage): Credentials {
  return {
    apiKey: header(request, 'x-api-key'),
    apiSecret: header(request, 'x-api-secret'),
    authorization: header(request, 'authorization'),
  };
}

function subjectOf(
  { operation, parameters }: RoutedCall,
  request: IncomingMessage,
  body: Buffer | undefined,
): CallSubject {
  return {
    operation,
    merchant: merchantOf(request),
    reference: text(fieldsOf(body)['reference']) ?? parameters['reference'],
  };
}

/** The fields of an unchecked body. */
function fieldsOf(body: Buffer | undefined): Record<string, unknown> {
  return (body && parseObject(body.toString())) ?? {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function header({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Headers by lower-case name, with keys and secrets cut after their prefix. */
function maskedHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const shown = Object.entries(headers).map(([name, value = '']) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return [name, SECRET_HEADERS.includes(name) ? text.replace(KEY, '$1$2…') : text];
  });
  return Object.freeze(Object.fromEntries(shown) as Record<string, string>);
}
