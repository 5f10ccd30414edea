import { type HttpService } from '@nestjs/axios';
import { type AxiosInstance } from 'axios';
import {
  type HttpTransport,
  type TransportAnswer,
  type OutgoingRequest,
  type InFlightRequest,
  type SendLimits,
} from './http-transport.js';
import { RequestGuard } from './request-guard.js';
import { transportBelow } from './undici-transport.js';
import {
  answersOnlySend,
  endWatch,
  mayHaveBeenSent,
  sendWithin,
  wasAnsweredByProxy,
  watchSending,
} from './send-watch.js';

/** What the package sets on every request itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type']);

/**
 * Sends the requests of one account. Requests go through axios only if that could make a difference: the
 * application has read `axiosRef`, and may have added interceptors or another adapter, or there are default
 * headers. Otherwise they go straight to undici, because axios takes as long as all other parts of a call.
 */
export function accountTransport(http: HttpService): HttpTransport {
  // The substitute of a test may have no axios, or a part of one.
  const axios = http.axiosRef as Partial<AxiosInstance> | undefined;
  const guard = axios?.interceptors && new RequestGuard(axios as AxiosInstance);
  const throughAxios = new AxiosTransport(http, guard);
  const straight = transportBelow(axios?.defaults?.adapter);
  if (!straight || addsHeaders(axios?.defaults?.headers)) return throughAxios;
  let reached = false;
  const get = (): typeof axios => {
    reached = true;
    return axios;
  };
  Object.defineProperty(http, 'axiosRef', { configurable: true, get });
  // A test may replace the property without reading it.
  const isReplaced = (): boolean => Object.getOwnPropertyDescriptor(http, 'axiosRef')?.get !== get;
  return {
    send: (request, onSending, limits) =>
      (reached || isReplaced() ? throughAxios : straight).send(request, onSending, limits),
  };
}

function addsHeaders(defaults: object | undefined): boolean {
  return defaultNames(defaults).some((name) => !OWN_HEADERS.has(name));
}

/** Axios keeps default headers by method, in `common`, or beside these. */
function defaultNames(defaults: object = {}): string[] {
  return Object.entries(defaults)
    .flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null ? Object.keys(value) : [name],
    )
    .map((name) => name.toLowerCase());
}

/** A User-Agent among the default headers of the application comes before that of the package. */
function headersFor(
  axios: Partial<AxiosInstance>,
  headers: OutgoingRequest['headers'],
): Record<string, string> {
  const { 'User-Agent': agent, ...others } = headers;
  const isReplaced = agent === undefined || defaultNames(axios.defaults?.headers).includes('user-agent');
  return isReplaced ? others : { ...headers };
}

/** Sends requests through axios, with everything that the application added to it. */
class AxiosTransport implements HttpTransport {
  constructor(
    private readonly http: HttpService,
    private readonly guard: RequestGuard | undefined,
  ) {}

  send(request: OutgoingRequest, onSending?: () => void, limits?: SendLimits): InFlightRequest {
    const controller = new AbortController();
    const watch = watchSending(controller.signal, request, onSending, limits);
    let isGuarded = false;
    const send = async (): Promise<TransportAnswer> => {
      const { axiosRef } = this.http;
      isGuarded = this.guard?.guards(axiosRef) ?? false;
      // The substitute of a test for axios does not say when it sends.
      if (!isGuarded) onSending?.();
      return axiosRef.request<unknown>({
        method: request.method,
        url: request.origin + request.path,
        headers: headersFor(axiosRef, request.headers),
        data: request.body,
        signal: controller.signal,
      });
    };
    const ended = sendWithin(watch, send).finally(() => {
      endWatch(watch);
    });
    return {
      answer: ended.then((answer) => {
        const { status, headers, data } = answer;
        if (wasAnsweredByProxy(watch, answer)) return { status, headers, data, byProxy: true };
        const resent = !answersOnlySend(watch, answer, isGuarded);
        const mayBeCutOff = watch.answer?.mayBeCutOff;
        return { status, headers, data, ...(resent && { resent }), ...(mayBeCutOff && { mayBeCutOff }) };
      }),
      mayHaveBeenSent: () => mayHaveBeenSent(watch, isGuarded),
      notSentBecause: () => {
        if (watch.changed !== undefined) return { changed: watch.changed };
        return isGuarded && watch.dispatched === 0 ? { interceptorFailed: true } : {};
      },
      abort: () => {
        endWatch(watch);
        controller.abort();
      },
    };
  }
}
