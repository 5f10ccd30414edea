import { type HttpModuleOptions } from '@nestjs/axios';
import { type OnApplicationShutdown } from '@nestjs/common';
import { Agent } from 'undici';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { undiciAdapter, UndiciTransport } from './undici-transport.js';

/** Connections to the gateway, kept open and reused; more calls at once wait for one of them. */
const MAX_CONNECTIONS = 50;
/** No answer of the gateway comes near it; it keeps a broken one from filling the memory. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/**
 * Options that only axios' own adapter obeys; with all but the first and `transport` it sends through a
 * watched transport.
 */
const AXIOS_ADAPTER_OPTIONS = [
  'adapter',
  'httpAgent',
  'httpsAgent',
  'proxy',
  'transport',
  'socketPath',
  'lookup',
] as const;

const unchanged = (data: unknown): unknown => data;

/** The connections of one merchant account, until the application shuts down. */
export class GatewayConnections implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly http: HttpModuleOptions;
  private closing: Promise<void> | undefined;

  /** Keeps only what it needs of the options: nothing that can be inspected holds the keys. */
  constructor(options: Pick<ResolvedPaymentsOptions, 'http' | 'timeoutMs'>) {
    this.http = options.http;
    this.agent = new Agent({
      connections: MAX_CONNECTIONS,
      maxResponseSize: MAX_ANSWER_BYTES,
      connect: { timeout: options.timeoutMs },
    });
  }

  /** The options of the package's own `HttpModule`. What money safety needs stands above what the application wrote. */
  httpModuleOptions(): HttpModuleOptions {
    const { http } = this;
    const axiosAdapter = AXIOS_ADAPTER_OPTIONS.some(
      (name) => http[name] !== undefined && http[name] !== false,
    );
    return {
      proxy: false,
      // As over the package's own connections: a body that is compressed although nobody asked is not read.
      decompress: false,
      maxContentLength: MAX_ANSWER_BYTES,
      ...http,
      ...(axiosAdapter ? {} : { adapter: undiciAdapter(new UndiciTransport(this.agent)) }),
      // A followed redirect would carry the secret along.
      maxRedirects: 0,
      // Axios resolves HTML and broken JSON as if they were answers, so the package parses by itself.
      responseType: 'text',
      transformRequest: [unchanged],
      transformResponse: [unchanged],
      validateStatus: () => true,
      // Its timeout does not bound a body that drips; each attempt has a timer of its own.
      timeout: 0,
    };
  }

  /** Waits for what is under way, then closes every connection. Nest 11 calls it again when it is closed again. */
  onApplicationShutdown(): Promise<void> {
    this.closing ??= this.agent.close();
    return this.closing;
  }
}
