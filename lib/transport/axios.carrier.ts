import { type HttpService } from '@nestjs/axios';
import { type CarriedAnswer, type Carrier, type OutgoingRequest, type Passage } from './carrier.js';
import { type RequestGuard } from './request-guard.js';
import {
  endWatch,
  mayHaveBeenSent,
  sendWithin,
  wasAnsweredByProxy,
  wasSentOnce,
  watchSending,
} from './send-watch.js';

/** Sends requests through axios, with the interceptors and whatever else an application gave it. */
export class AxiosCarrier implements Carrier {
  constructor(
    private readonly http: HttpService,
    private readonly guard: RequestGuard | undefined,
  ) {}

  carry(request: OutgoingRequest, onStart?: () => void): Passage {
    const controller = new AbortController();
    const watch = watchSending(controller.signal, request, onStart);
    let isGuarded = false;
    const send = async (): Promise<CarriedAnswer> => {
      const { axiosRef } = this.http;
      isGuarded = this.guard?.guards(axiosRef) ?? false;
      // A test may have put something of its own in the place of axios, which never says when it begins.
      if (!isGuarded) onStart?.();
      // What an application put there may throw at once.
      return axiosRef.request<unknown>({
        method: request.method,
        url: request.origin + request.path,
        headers: { ...request.headers },
        data: request.body,
        signal: controller.signal,
      });
    };
    return {
      answer: sendWithin(watch, send).finally(() => {
        endWatch(watch);
      }),
      mayHaveBeenSent: () => mayHaveBeenSent(watch, isGuarded),
      wasAnsweredByProxy: () => wasAnsweredByProxy(watch),
      wasSentOnce: () => wasSentOnce(watch, isGuarded),
      notSentBecause: () => {
        if (watch.changed !== undefined) return { changed: watch.changed };
        return isGuarded && watch.dispatched === 0 ? { interceptorFailed: true } : {};
      },
      giveUp: () => {
        endWatch(watch);
        controller.abort();
      },
    };
  }
}
