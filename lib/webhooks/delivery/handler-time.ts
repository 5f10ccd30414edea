/** The time that the handlers of one delivery have. */
export class HandlerTime {
  private reason: Error | undefined;
  private controller: AbortController | undefined;

  /** Why nothing new may begin; undefined while there is time. */
  get over(): Error | undefined {
    return this.reason;
  }

  /** Made for whoever asks: few handlers do, and it would cost more than to claim the delivery. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  end(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }
}
