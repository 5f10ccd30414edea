import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isRecord, jsonObject } from '../common/json-object.js';
import { type PaymentsModuleOptions } from '../config/payments-options.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import {
  channelOf,
  type GatewayRecording,
  readRecording,
  type RecordedExchange,
} from '../gateway-profile/gateway-recording.js';
import { type SandboxOperation } from '../sandbox/core/operation-name.js';
import { replayedBody } from './replayed-answer.js';

const PREFIX = '/api/v1';
const BY_FIELD = 'messages by field';

/**
 * A gateway that gives the answers which `npx nestjs-payments conformance --record` recorded, over HTTP. It remembers no payments and
 * sends no webhooks: for these there is the emulator.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const replay = await GatewayReplay.start(JSON.parse(readFileSync('exchanges.json', 'utf8')));
 * PaymentsModule.forRoot(replay.moduleOptions());
 * replay.next('POST /disbursements/bank', 'INVALID_BANK');
 * await replay.stop();
 * ```
 *
 * @publicApi
 */
export class GatewayReplay {
  private readonly planned: { readonly operation: string; readonly exchange: RecordedExchange }[] = [];

  private constructor(
    private readonly recording: GatewayRecording,
    private readonly server: Server,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.answer(request, response).catch((error: unknown) => {
        answerFailed(request, response, error);
      });
    });
  }

  /**
   * Starts a server on a free port of this machine.
   *
   * @param recording The parsed content of the file.
   * @throws PaymentsConfigError if it is no recording.
   */
  static async start(recording: unknown): Promise<GatewayReplay> {
    const read = readRecording(recording);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A test that forgets stop() lets its process end anyway.
    server.unref();
    return new GatewayReplay(read, server);
  }

  /** Options for `PaymentsModule.forRoot`: address and keys. */
  moduleOptions(): PaymentsModuleOptions {
    const { port } = this.server.address() as AddressInfo;
    return {
      baseUrl: `http://127.0.0.1:${port}${PREFIX}`,
      apiKey: 'pk_test_replay',
      apiSecret: 'sk_test_replay',
    };
  }

  /**
   * Answers the next call of an operation with the recorded refusal that has this code. Without it, a call gets the recorded success.
   *
   * @param code A refusal without a code, but with messages by field, is named after its fields in alphabetical order: `'messages by field: amount'` or
   * `'messages by field: amount, phone'`. `'messages by field'` is the first one of these, whatever its fields.
   * @throws PaymentsConfigError that lists what was recorded, if this was not.
   */
  next(operation: SandboxOperation, code: string): void {
    const own = this.recording.exchanges.filter((exchange) => exchange.operation === operation);
    const exchange = own.find(({ body }) => {
      const name = nameOf(body);
      return name === code || (code === BY_FIELD && name.startsWith(BY_FIELD));
    });
    if (!exchange) {
      const names = [...new Set(own.map(({ body }) => `'${nameOf(body)}'`))];
      throw new PaymentsConfigError(
        `The recording has no '${code}' of ${operation}: it has ${names.join(', ') || 'no answer of it'}.`,
      );
    }
    this.planned.push({ operation, exchange });
  }

  /** Closes every connection and frees the port. */
  async stop(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    this.server.closeAllConnections();
    await closed;
  }

  /** Calls `stop()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const operation = `${request.method ?? ''} ${path.replace(PREFIX, '')}`;
    const sent = jsonObject(await text(request)) ?? {};
    const { channel } = sent;
    const exchange = this.take(operation, channel);
    const status = exchange?.status ?? 501;
    const body = exchange ? replayedBody(exchange.body, sent, new Date()) : notRecorded(operation, channel);
    sendJson(response, status, body);
  }

  /** @param channel What a name lookup asks for: the answer of another channel has other fields. */
  private take(operation: string, channel: unknown): RecordedExchange | undefined {
    const place = this.planned.findIndex((one) => one.operation === operation);
    if (place >= 0) return this.planned.splice(place, 1)[0]?.exchange;
    const successes = this.recording.exchanges.filter(
      (exchange) => exchange.operation === operation && isSuccess(exchange),
    );
    return (
      successes.find(({ body }) => channelOf(body) === channel) ??
      // A payout's answer names a channel that nobody asks for, and an older recording names none.
      successes.find(({ body }) => channel === undefined || channelOf(body) === undefined)
    );
  }
}

/** A refusal may have `data`, too: null or an empty list. */
function isSuccess({ status, body }: RecordedExchange): boolean {
  return status < 400 && 'data' in body && body['success'] !== false && body['status'] !== 'error';
}

/** The name of a recorded answer among those of its operation. */
function nameOf({ code, errors }: RecordedExchange['body']): string {
  if (typeof code === 'string') return code;
  const fields = isRecord(errors) ? Object.keys(errors).sort() : [];
  return fields.length > 0 ? `${BY_FIELD}: ${fields.join(', ')}` : 'no code';
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Most often the sender has gone. Otherwise the recording has what no answer can hold. */
function answerFailed(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (request.socket.destroyed || response.headersSent) {
    request.socket.destroy();
    return;
  }
  const reason = error instanceof Error ? error.message : String(error);
  sendJson(response, 500, {
    status: 'error',
    code: 'REPLAY_FAILED',
    message: `The recording could not be replayed: ${reason}`,
  });
}

function notRecorded(operation: string, channel: unknown): Readonly<Record<string, unknown>> {
  const asked = channel === undefined ? operation : `${operation} in the channel ${JSON.stringify(channel)}`;
  return {
    status: 'error',
    code: 'NOT_RECORDED',
    message: `The recording has no success of ${asked}.`,
  };
}
