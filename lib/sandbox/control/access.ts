import { type IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../http/loopback.js';

/**
 * Why a request may not use the control API or the page; undefined where it may. A web page elsewhere could reach
 * this machine under a name of its own, or post to it blindly.
 */
export function accessProblem({ headers }: IncomingMessage): string | undefined {
  const { host, origin } = headers;
  const self = host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (!self || !isLoopbackHost(self.hostname)) return 'The sandbox answers on a loopback host name only.';
  if (origin !== undefined && origin !== self.origin) return 'The sandbox answers its own page only.';
  return undefined;
}
