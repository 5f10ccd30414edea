import { type IncomingHttpHeaders } from 'node:http';
import { type Dispatcher } from 'undici';

/** A complete response. */
export interface CollectedResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string | string[]>;
  readonly text: string;
}

/** Collects one response of an undici dispatcher, and reports the exact moment at which sending begins. */
export class ResponseCollector implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private statusText = '';
  private headers: Record<string, string | string[]> = {};
  private readonly chunks: Buffer[] = [];

  constructor(
    private readonly resolve: (response: CollectedResponse) => void,
    private readonly reject: (error: Error) => void,
    private readonly signal: AbortSignal | undefined,
    private readonly onStart: () => void,
  ) {
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing here keeps the request from being written: it was given up while it waited for a connection, or undici
    // would send it a second time.
    if (this.signal?.aborted) throw new Error('given up before sending');
    if (this.controller) throw new Error('sent once already');
    this.controller = controller;
    this.onStart();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
    statusMessage = '',
  ): void {
    this.status = statusCode;
    this.statusText = statusMessage;
    this.headers = headers as Record<string, string | string[]>;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.stopListening();
    this.resolve({
      status: this.status,
      statusText: this.statusText,
      headers: this.headers,
      text: Buffer.concat(this.chunks).toString('utf8'),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.stopListening();
    this.reject(error);
  }

  private readonly onAbort = (): void => {
    const error = new Error('given up');
    this.controller?.abort(error);
    this.reject(error);
  };

  private stopListening(): void {
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}
