import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type HoldingClock } from '../clock/sandbox-clock.js';
import { timestamp } from '../clock/timestamp.js';
import { answerByFacts } from '../core/answer-by-facts.js';
import { type Credentials } from '../core/credentials.js';
import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { type Fault, isBeforehand } from '../core/fault.js';
import { type Gateway } from '../core/gateway.js';
import { type GatewayAnswer } from '../core/gateway-answer.js';
import { OPERATIONS } from '../core/operations.js';
import { refusedBeforehand } from '../core/refusal.js';
import { findOperation, GATEWAY_PREFIX, methodsOf, type RoutedCall } from '../core/router.js';
import { type Rule } from '../core/rule.js';
import { type CallSubject, type Profile } from '../profile/profile.js';
import { chooseRule } from '../scenarios/choose-rule.js';
import { type WireAnswer } from './answer.js';
import { truncateBody, truncateText } from './truncate-text.js';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { RequestRecord } from './request-record.js';
import { type FaultQueue } from '../faults/fault-queue.js';
import { BODY_LIMIT, parseObject, readBody, saysJson } from './request-body.js';
import { type RequestJournal, type SandboxRequest } from '../core/request-journal.js';
import { answerInstead, answerOf, failAfterwards } from './faulty-answers.js';

const SECRET_HEADERS = ['x-api-key', 'x-api-secret', 'authorization', 'proxy-authorization', 'cookie'];
const KEY = /^(Bearer )?([ps]k_(?:test|live)_)?.*$/is;

/** A request whose body was read. */
interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly headers: Headers;
  readonly credentials: Credentials;
  /** The merchant's name, or why the keys are refused. */
  readonly authenticated: ReturnType<Gateway['authenticate']>;
  /** Undefined if it is too large. */
  readonly body: Buffer | undefined;
  /** Undefined if the body is no JSON object. */
  readonly fields: Record<string, unknown> | undefined;
}

/** Answers the gateway's operations under `/api/v1` and applies their planned faults. */
export class GatewayRoute {
  /** How many calls were received; it gives the next one its id. */
  calls = 0;
  /** Calls without an answer, with their merchants. */
  private readonly open = new Map<IncomingMessage, string | undefined>();
  /** Calls that a fault never answers; undefined once such calls are dropped instead. */
  private hanging: Set<IncomingMessage> | undefined = new Set();

  constructor(
    private readonly gateway: Gateway,
    private readonly faults: FaultQueue,
    private readonly journal: RequestJournal,
    private readonly clock: HoldingClock,
    private readonly events: EventBus<SandboxEvents>,
    private readonly auto: boolean,
    private readonly profile: Profile,
  ) {}

  matches(path: string): boolean {
    return path === GATEWAY_PREFIX || path.startsWith(`${GATEWAY_PREFIX}/`);
  }

  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const headers = joinedHeaders(request);
    const credentials = {
      apiKey: headers['x-api-key'],
      apiSecret: headers['x-api-secret'],
      authorization: headers['authorization'],
    };
    const authenticated = this.gateway.authenticate(credentials);
    this.open.set(request, textOf(authenticated));
    response.on('close', () => {
      this.open.delete(request);
      this.hanging?.delete(request);
    });
    const body = await readBody(request);
    const fields = body && parseObject(body.toString());
    const received = { request, headers, credentials, authenticated, body, fields };
    const method = request.method ?? '';
    const routed = findOperation(method, path.slice(GATEWAY_PREFIX.length));
    const reference = textOf(fields?.['reference']) ?? routed?.parameters['reference'];
    const entry = this.entryOf(received, reference);
    const record = new RequestRecord(request, response, entry, this.journal, this.events);
    response.setHeader('date', new Date(this.clock.now()).toUTCString());
    for (const [name, value] of rateLimitHeaders(this.profile.facts)) response.setHeader(name, value);
    if (routed) await this.perform(record, routed, received, reference);
    else record.answer(unknownOperation(method, path));
  }

  /** Aborts the unanswered calls of one merchant, or all. */
  abort(merchant?: string): void {
    for (const [request, owner] of this.open) {
      if (merchant === undefined || owner === merchant) request.socket.destroy();
    }
  }

  /** Drops the calls that a fault never answers, now and from now on. */
  dropHanging(): void {
    for (const request of this.hanging ?? []) request.socket.destroy();
    this.hanging = undefined;
  }

  private async perform(
    record: RequestRecord,
    routed: RoutedCall,
    received: ReceivedRequest,
    reference: string | undefined,
  ): Promise<void> {
    const { operation } = routed;
    const subject = { operation, merchant: textOf(received.authenticated), reference };
    const rule = this.ruleOf(subject, received);
    const { fault, unprocessed } = rule;
    record.setRule(rule.name, fault?.kind ?? null);
    if (fault && isBeforehand(fault)) {
      answerInstead(record, fault);
      return;
    }
    if (unprocessed) {
      await this.send(record, received, answerOf(unprocessed), fault);
      return;
    }
    const processed = answerByFacts(this.process(routed, received, rule), operation, this.profile.facts);
    if (processed.ready) await processed.ready;
    const { answer, form, varied, counted } = this.profile.answer(subject, processed);
    if (counted !== undefined) this.events.emit('changed', ['answered', counted]);
    record.setForm(form, varied);
    await this.send(record, received, answer, fault);
  }

  private async send(
    record: RequestRecord,
    { request }: ReceivedRequest,
    answer: WireAnswer,
    fault: Fault | undefined,
  ): Promise<void> {
    if (!fault) record.answer(answer);
    else if (fault.kind === 'hang' && !this.hanging) record.drop();
    else await failAfterwards(record, fault, answer, this.clock);
    if (fault?.kind === 'hang') this.hanging?.add(request);
  }

  /** A call whose keys are refused plays no scenario. Planned faults fit it, unless they name a merchant. */
  private ruleOf(subject: CallSubject, { authenticated, headers, fields = {} }: ReceivedRequest): Rule {
    const { operation } = subject;
    const { number } = OPERATIONS[operation];
    const isKnown = typeof authenticated === 'string';
    return chooseRule({
      operation,
      fault: this.faults.take(subject),
      header: isKnown ? headers['x-sandbox-scenario'] : undefined,
      number: isKnown && number ? textOf(fields[number]) : undefined,
      auto: this.auto,
    });
  }

  private process(
    { operation, parameters }: RoutedCall,
    { request, headers, credentials, authenticated, body, fields }: ReceivedRequest,
    rule: Rule,
  ): GatewayAnswer {
    const idempotencyKey = headers['idempotency-key'];
    const call = { operation, parameters, credentials, rule, idempotencyKey };
    if (!OPERATIONS[operation].request) return this.gateway.handle({ ...call, body: undefined });
    // Check the keys first: a caller without valid keys learns nothing about the body.
    if (typeof authenticated !== 'string') return authenticated;
    if (!body) return refusedByHttp(413, `The body is larger than ${BODY_LIMIT} bytes.`);
    if (!saysJson(request)) return refusedByHttp(415, 'Send the body as Content-Type: application/json.');
    return fields
      ? this.gateway.handle({ ...call, body: fields })
      : refusedBeforehand(
          400,
          'INVALID_REQUEST',
          'The body is not a JSON object, or has more than a hundred levels.',
        );
  }

  private entryOf(
    { request, headers, authenticated, body, fields }: ReceivedRequest,
    reference: string | undefined,
  ): SandboxRequest {
    return {
      id: String(++this.calls),
      at: timestamp(this.clock.now()),
      merchant: textOf(authenticated) ?? null,
      reference: reference === undefined ? null : truncateText(reference),
      method: request.method ?? '',
      path: request.url ?? '',
      headers: masked(headers),
      body: body?.length ? truncateBody(fields, body.toString()) : null,
      status: null,
      code: null,
      reason: null,
      duration_ms: null,
      response_headers: null,
      response_body: null,
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

function refusedByHttp(status: 413 | 415, message: string): GatewayAnswer {
  return { ...refusedBeforehand(status, 'INVALID_REQUEST', message), isOfHttp: true };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

type Headers = Readonly<Record<string, string>>;

/** Headers by lower-case name. */
function joinedHeaders({ headers }: IncomingMessage): Headers {
  const joined = Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]);
  return Object.fromEntries(joined) as Headers;
}

/** The headers with keys and secrets cut after their prefix. */
function masked(headers: Headers): Headers {
  const shown = Object.entries(headers).map(([name, value]) => {
    return [name, SECRET_HEADERS.includes(name) ? value.replace(KEY, '$1$2…') : value];
  });
  return Object.freeze(Object.fromEntries(shown) as Headers);
}
