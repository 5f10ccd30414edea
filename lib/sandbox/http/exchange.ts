import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type SandboxRequest } from '../control/control-types.js';
import { type ActivityHub } from '../core/activity.js';
import { type GatewayAnswer } from '../core/gateway.js';
import { JSON_TYPE, send, sendHead } from './answer.js';
import { type RequestJournal } from './request-journal.js';

const RULE_HEADER = 'x-sandbox-rule';

/** One call under `/api/v1` on its way out: however it ends, it is written down and told. */
export class Exchange {
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private entry: SandboxRequest,
    private readonly journal: RequestJournal,
    private readonly hub: ActivityHub,
  ) {
    journal.put(entry);
  }

  ruledBy(rule: string, fault: string | null): void {
    this.entry = { ...this.entry, rule, fault };
    this.response.setHeader(RULE_HEADER, rule);
  }

  answer({ status, body }: GatewayAnswer, headers: Readonly<Record<string, string>> = {}): void {
    this.note(body);
    this.send(status, JSON_TYPE, JSON.stringify(body), headers);
  }

  send(
    status: number,
    contentType: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.close(status, body);
    send(this.response, status, contentType, body, headers);
  }

  /** Promises the whole body, sends half of it and closes the connection. */
  sendHalf({ status, body }: GatewayAnswer): void {
    const bytes = Buffer.from(JSON.stringify(body));
    this.note(body);
    this.close(status, null);
    if (this.response.destroyed) return;
    sendHead(this.response, status, JSON_TYPE, bytes.length);
    this.response.write(bytes.subarray(0, bytes.length / 2), () => {
      this.request.socket.destroy();
    });
  }

  /** Sends the answer's head at once and its body byte by byte, the next one whenever `later` runs what it was given. */
  drip({ status, body }: GatewayAnswer, later: (next: () => void) => void): void {
    const bytes = Buffer.from(JSON.stringify(body));
    this.note(body);
    this.close(status, bytes.toString());
    if (this.response.destroyed) return;
    sendHead(this.response, status, JSON_TYPE, bytes.length);
    this.response.flushHeaders();
    const sendFrom = (index: number): void => {
      if (this.response.destroyed) return;
      this.response.write(bytes.subarray(index, index + 1));
      if (index + 1 === bytes.length) this.response.end();
      else
        later(() => {
          sendFrom(index + 1);
        });
    };
    later(() => {
      sendFrom(0);
    });
  }

  /** Closes the connection without an answer. */
  drop(): void {
    this.close(null, null);
    this.request.socket.destroy();
  }

  /** Resets the connection without an answer. */
  reset(): void {
    this.close(null, null);
    this.request.socket.resetAndDestroy();
  }

  /** Leaves the connection open without an answer. */
  hang(): void {
    this.close(null, null);
  }

  private note(body: GatewayAnswer['body']): void {
    if (typeof body['code'] === 'string') this.entry = { ...this.entry, code: body['code'] };
  }

  private close(status: number | null, answer: string | null): void {
    this.entry = { ...this.entry, status };
    this.journal.put(this.entry);
    this.hub.emit('exchange', { request: this.entry, answer });
  }
}
