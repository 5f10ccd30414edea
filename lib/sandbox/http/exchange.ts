import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type SandboxRequest } from '../control/control-types.js';
import { type ActivityHub } from '../core/activity.js';
import { type GatewayAnswer } from '../core/gateway.js';
import { JSON_TYPE, send } from './answer.js';
import { type RequestJournal } from './request-journal.js';

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

  spoiledBy(fault: string): void {
    this.entry = { ...this.entry, fault };
  }

  answer({ status, body }: GatewayAnswer, headers: Readonly<Record<string, string>> = {}): void {
    if (typeof body['code'] === 'string') this.entry = { ...this.entry, code: body['code'] };
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

  /** Closes the connection without an answer. */
  drop(): void {
    this.close(null, null);
    this.request.socket.destroy();
  }

  /** Leaves the connection open without an answer. */
  hang(): void {
    this.close(null, null);
  }

  private close(status: number | null, answer: string | null): void {
    this.entry = { ...this.entry, status };
    this.journal.put(this.entry);
    this.hub.emit('exchange', { request: this.entry, answer });
  }
}
