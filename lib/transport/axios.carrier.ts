import { type HttpService } from '@nestjs/axios';
import { type CarriedAnswer, type Carrier, type OutgoingRequest, type Passage } from './carrier.js';
import { mayHaveBeenSent, watchSending } from './send-watch.js';

/** Sends requests through axios, with the interceptors and whatever else an application gave it. */
export class AxiosCarrier implements Carrier {
  constructor(private readonly http: HttpService) {}

  carry(request: OutgoingRequest): Passage {
    const controller = new AbortController();
    const watch = watchSending(controller.signal);
    return {
      answer: this.send(request, controller.signal),
      mayHaveBeenSent: () => mayHaveBeenSent(watch),
      giveUp: () => {
        controller.abort();
      },
    };
  }

  /** An async function: what an application put there may throw at once. */
  private async send(
    { method, origin, path, headers, body }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<CarriedAnswer> {
    return this.http.axiosRef.request<unknown>({
      method,
      url: origin + path,
      headers: { ...headers },
      data: body,
      signal,
    });
  }
}
