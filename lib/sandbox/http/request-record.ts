import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { type GatewayAnswer } from '../core/gateway-answer.js';
import { PLAIN_FORM, type WireForm } from '../profile/profile.js';
import { send, sendHead } from './answer.js';
import { type RequestJournal, type SandboxRequest } from '../core/request-journal.js';

/**
 * Records one call under `/api/v1` and sends its answer. The journal and the listeners get the call however
 * it ends.
 */
export class RequestRecord {
  private form = PLAIN_FORM;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private entry: SandboxRequest,
    private readonly journal: RequestJournal,
    private readonly events: EventBus<SandboxEvents>,
  ) {
    journal.begin(entry);
  }

  setRule(rule: string, fault: string | null): void {
    this.entry = { ...this.entry, rule, fault };
    this.response.setHeader('x-sandbox-rule', rule);
  }

  /** Sets how the answer's JSON is sent, and how it differs from the documented answer. */
  setForm(form: WireForm, varied: readonly string[]): void {
    this.form = form;
    this.entry = { ...this.entry, varied };
  }

  answer({ status, body }: GatewayAnswer, headers: Readonly<Record<string, string>> = {}): void {
    this.noteCode(body);
    this.send(status, this.form.contentType, this.write(body), headers);
  }

  send(
    status: number,
    contentType: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.end(status, body);
    const { closesConnection, pieces } = this.form;
    const all = { ...(closesConnection && { connection: 'close' }), ...headers };
    send(this.response, status, contentType, body, all, pieces);
  }

  /** Announces the whole body, sends half of it and closes the connection. */
  sendHalf({ status, body }: GatewayAnswer): void {
    const bytes = Buffer.from(this.write(body));
    this.noteCode(body);
    this.end(status, null);
    if (this.response.destroyed) return;
    sendHead(this.response, status, this.form.contentType, bytes.length);
    this.response.write(bytes.subarray(0, bytes.length / 2), () => {
      this.request.socket.destroy();
    });
  }

  /** Sends the answer's head at once and its body byte by byte: the next byte each time `later` calls back. */
  drip({ status, body }: GatewayAnswer, later: (next: () => void) => void): void {
    const bytes = Buffer.from(this.write(body));
    this.noteCode(body);
    this.end(status, bytes.toString());
    if (this.response.destroyed) return;
    sendHead(this.response, status, this.form.contentType, bytes.length);
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
    this.end(null, null);
    this.request.socket.destroy();
  }

  /** Resets the connection without an answer. */
  reset(): void {
    this.end(null, null);
    this.request.socket.resetAndDestroy();
  }

  /** Leaves the connection open without an answer. */
  hang(): void {
    this.end(null, null);
  }

  private write(body: GatewayAnswer['body']): string {
    return JSON.stringify(body, null, this.form.indent);
  }

  private noteCode(body: GatewayAnswer['body']): void {
    if (typeof body['code'] === 'string') this.entry = { ...this.entry, code: body['code'] };
  }

  private end(status: number | null, answer: string | null): void {
    // The caller may have given up while the emulator held the answer back.
    const gone = this.request.socket.destroyed;
    this.entry = gone ? { ...this.entry, status: null, code: null } : { ...this.entry, status };
    if (!this.journal.end(this.entry)) return;
    this.events.emit('exchange', { request: this.entry, answer: gone ? null : answer });
  }
}
