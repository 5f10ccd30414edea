import { type IncomingHttpHeaders } from 'node:http';
import { type Dispatcher } from 'undici';
import { type CarriedAnswer, type NotSentReason, type Passage } from './carrier.js';
import { noteStart, type SendWatch } from './send-watch.js';

/** A complete response. */
export interface CollectedResponse extends CarriedAnswer {
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly data: string;
}

/** Collects one response of an undici dispatcher, and notes the exact moment at which sending begins. */
export class ResponseCollector implements Dispatcher.DispatchHandler, Passage {
  readonly answer: Promise<CollectedResponse>;
  private resolve!: (response: CollectedResponse) => void;
  private reject!: (error: Error) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private givenUp = false;
  private status = 0;
  private statusText = '';
  private headers: IncomingHttpHeaders = {};
  private readonly chunks: Buffer[] = [];

  /** @param onEnd Called when the answer is complete. */
  constructor(
    private readonly watch: Pick<SendWatch, 'sends' | 'over' | 'onStart'>,
    private readonly onEnd: () => void,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  mayHaveBeenSent(): boolean {
    return this.watch.sends > 0;
  }

  /** It knows no proxy. */
  wasAnsweredByProxy(): boolean {
    return false;
  }

  /** It refuses to be sent again. */
  wasSentOnce(): boolean {
    return true;
  }

  notSentBecause(): NotSentReason {
    return {};
  }

  giveUp(): void {
    const error = new Error('given up');
    this.givenUp = true;
    this.controller?.abort(error);
    this.reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing here keeps the request from being written: it was given up while it waited for a connection, or undici
    // would send it a second time.
    if (this.givenUp || this.watch.over) throw new Error('given up before sending');
    if (this.controller) throw new Error('sent once already');
    this.controller = controller;
    noteStart(this.watch);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
    statusMessage = '',
  ): void {
    this.status = statusCode;
    this.statusText = statusMessage;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const { status, statusText, headers, chunks } = this;
    const [only] = chunks;
    const bytes = only && chunks.length === 1 ? only : Buffer.concat(chunks);
    this.onEnd();
    this.resolve({ status, statusText, headers, data: bytes.toString('utf8') });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}
