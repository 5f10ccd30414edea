import { type HttpModuleOptions, HttpService } from '@nestjs/axios';
import { type OnApplicationShutdown } from '@nestjs/common';
import { type AxiosInstance, type CreateAxiosDefaults } from 'axios';
import { type Agent } from 'undici';
// The whole of undici is 110 files instead of 23, and puts itself below the application's own `fetch`.
// @ts-expect-error undici has types for the whole only.
import UndiciAgent from 'undici/lib/dispatcher/agent.js';
import { AXIOS_ADAPTER_OPTIONS } from '../../config/http-options.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { undiciAdapter, UndiciTransport } from './undici-transport.js';

/** Connections stay open. If more calls run at once, they wait for a connection, unless the application allows more at once. */
const USUAL_CONNECTIONS = 50;
/** Much more than any answer of the gateway. A broken answer must not fill the memory. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/**
 * How long one address of a host may take to connect before Node tries the next one. After the 250 ms of Node, a slow way
 * over IPv4 is given up for an address of IPv6 that a host without IPv6 cannot reach, and then no address is left.
 */
const FAMILY_ATTEMPT_MS = 2_500;
const OwnAgent = UndiciAgent as new (options: Agent.Options) => Agent;
const unchanged = (data: unknown): unknown => data;

/**
 * What the package knows of a request comes from undici on the sockets of Node.
 *
 * @throws PaymentsConfigError on Bun, so that the boot says it, and not the first payment.
 */
export function assertNode(versions: object): void {
  if (!('bun' in versions)) return;
  throw new PaymentsConfigError(
    'nestjs-payments does not support Bun: it must know whether a request has left, and relies on the sockets of Node for that. ' +
      'Start the application with Node: node dist/main.js.',
  );
}

const ACCEPT = 'application/json, text/plain, */*';
/** What axios itself starts with, as far as it counts on Node. */
const AXIOS_DEFAULTS: CreateAxiosDefaults = {
  adapter: 'http',
  headers: { common: { Accept: ACCEPT }, delete: {}, get: {}, head: {}, patch: {}, post: {}, put: {} },
};

/**
 * An axios with these options and without the defaults of the shared one: applications set headers, a user or a
 * query there for other services, and the gateway must get none of them.
 */
export function ownAxios(options: CreateAxiosDefaults): AxiosInstance {
  // An import of axios may load a second copy of it. `create` merges with the object that `defaults` is here.
  const empty = new HttpService().axiosRef.create();
  for (const name of Object.keys(empty.defaults)) Reflect.deleteProperty(empty.defaults, name);
  Object.assign(empty.defaults, AXIOS_DEFAULTS);
  return empty.create(options);
}

/** The connections of one registration, until the application shuts down. */
export class GatewayConnections implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly http: HttpModuleOptions;
  private closing: Promise<void> | undefined;

  /**
   * Keeps only two of the options: nothing that can be inspected holds the keys.
   *
   * @param atOnce Most calls at once, if the application says it.
   * @throws PaymentsConfigError on Bun.
   */
  constructor(options: Pick<ResolvedPaymentsOptions, 'http' | 'timeoutMs'>, atOnce = USUAL_CONNECTIONS) {
    assertNode(process.versions);
    this.http = options.http;
    this.agent = new OwnAgent({
      connections: Math.max(USUAL_CONNECTIONS, atOnce),
      maxResponseSize: MAX_ANSWER_BYTES,
      connect: {
        timeout: options.timeoutMs,
        autoSelectFamilyAttemptTimeout: Math.min(FAMILY_ATTEMPT_MS, Math.ceil(options.timeoutMs / 4)),
      },
    });
  }

  /** The options of the package's own `HttpService`. Money safety overrides the application's options. */
  httpModuleOptions(): HttpModuleOptions {
    const { http } = this;
    const axiosAdapter = AXIOS_ADAPTER_OPTIONS.some(
      (name) => http[name] !== undefined && http[name] !== false,
    );
    return {
      // As undici does: the package does not read a body that is compressed unasked.
      decompress: false,
      maxContentLength: MAX_ANSWER_BYTES,
      ...http,
      // Left undefined, it would be the proxy of the environment.
      proxy: http.proxy ?? false,
      ...(axiosAdapter ? {} : { adapter: undiciAdapter(new UndiciTransport(this.agent)) }),
      // A redirect would send the secret to another address.
      maxRedirects: 0,
      // Axios resolves HTML and broken JSON as answers, so the package parses the text itself.
      responseType: 'text',
      transformRequest: [unchanged],
      transformResponse: [unchanged],
      validateStatus: () => true,
      // Axios' timeout does not stop a slow body; each try has its own timer.
      timeout: 0,
    };
  }

  /** Waits for running requests, then closes all connections. Nest 11 may call it twice. */
  onApplicationShutdown(): Promise<void> {
    this.closing ??= this.agent.close();
    return this.closing;
  }
}
