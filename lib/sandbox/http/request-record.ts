import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { type DueEvent } from '../clock/sandbox-clock.js';
import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { refusalReason } from '../core/refusal-reason.js';
import { PLAIN_FORM, type WireForm } from '../profile/profile.js';
import { answerHeaders, mayHaveBody, send, sendHead, type WireAnswer } from './answer.js';
import { truncateText } from './truncate-text.js';
import { type RequestJournal, type SandboxRequest } from '../core/request-journal.js';

/**
 * Records one call under `/api/v1` and sends its answer. The journal and the listeners get the call however
 * it ends.
 */
export class RequestRecord {
  private form = PLAIN_FORM;
  private readonly started = performance.now();

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

  answer(given: WireAnswer): void {
    const { status, headers } = given;
    const answer = mayHaveBody(status) ? given : { ...given, body: '' };
    const { closesConnection, pieces } = this.form;
    const all = { ...(closesConnection && { connection: 'close' }), ...headers };
    const [contentType, body] = [this.typeOf(answer), this.write(answer)];
    const length = pieces === 1 ? Buffer.byteLength(body) : undefined;
    this.noteAnswer(answer);
    this.end({ status, headers: answerHeaders(status, contentType, length, all), body });
    send(this.response, status, contentType, body, all, pieces);
  }

  /** Announces the whole body, sends half of it and closes the connection. */
  sendHalf(answer: WireAnswer): void {
    const bytes = Buffer.from(this.write(answer));
    const half = bytes.subarray(0, bytes.length / 2);
    if (!this.sendHead(answer, bytes.length, { body: half.toString(), cut: true })) return;
    this.response.write(half, () => {
      this.request.socket.destroy();
    });
  }

  /** Sends the answer's head at once and its body byte by byte: the next byte each time `later` calls back. */
  drip(answer: WireAnswer, later: (next: () => void) => void): void {
    const bytes = Buffer.from(this.write(answer));
    if (!this.sendHead(answer, bytes.length, { body: bytes.toString() })) return;
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
    this.end(undefined);
    this.request.socket.destroy();
  }

  /** Resets the connection without an answer. */
  reset(): void {
    this.end(undefined);
    this.request.socket.resetAndDestroy();
  }

  /** Leaves the connection open without an answer. */
  hang(): void {
    this.end(undefined);
  }

  /** Whether the caller has not gone. */
  get isAwaited(): boolean {
    return !this.request.socket.destroyed;
  }

  /** The answer that a fault delays; undefined if its caller has gone. */
  dueAnswer(): DueEvent | undefined {
    const { merchant, reference } = this.entry;
    return this.isAwaited ? { what: 'answer', merchant, reference, to: null } : undefined;
  }

  private write({ body }: WireAnswer): string {
    return typeof body === 'string' ? body : JSON.stringify(body, null, this.form.indent);
  }

  private typeOf({ contentType = this.form.contentType }: WireAnswer): string {
    return contentType;
  }

  /** Records an answer and sends its head. Returns false if the receiver has gone. */
  private sendHead(answer: WireAnswer, length: number, sent: Pick<SentAnswer, 'body' | 'cut'>): boolean {
    const { status, headers } = answer;
    const contentType = this.typeOf(answer);
    this.noteAnswer(answer);
    this.end({ status, headers: answerHeaders(status, contentType, length, headers), ...sent });
    if (this.response.destroyed) return false;
    sendHead(this.response, status, contentType, length, headers);
    return true;
  }

  private noteAnswer({ body }: WireAnswer): void {
    if (typeof body === 'string') return;
    const code = typeof body['code'] === 'string' ? body['code'] : null;
    this.entry = { ...this.entry, code, reason: refusalReason(body) };
  }

  private end(answer: SentAnswer | undefined): void {
    // The caller may have given up while the emulator held the answer back.
    const sent = this.isAwaited ? answer : undefined;
    this.entry = {
      ...this.entry,
      ...(!sent && { code: null, reason: null }),
      status: sent?.status ?? null,
      duration_ms: Math.round(performance.now() - this.started),
      response_headers: sent ? texts({ ...this.response.getHeaders(), ...sent.headers }) : null,
      response_body: sent ? truncateText(sent.body) : null,
    };
    if (!this.journal.end(this.entry)) return;
    this.events.emit('exchange', { request: this.entry, answer: sent && !sent.cut ? sent.body : null });
  }
}

/** What an answer sends. */
interface SentAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
  /** Whether the body is only a part of what the head announces. */
  readonly cut?: boolean;
}

function texts(headers: OutgoingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
