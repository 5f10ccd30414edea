import { type IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../http/loopback.js';

/**
 * Why a request may use nothing of the emulator; undefined where it may. A web page elsewhere could reach this machine
 * under a name of its own (DNS rebinding), and then read whatever it asks for.
 *
 * @param allowedHosts Host names beside those of the loopback interface.
 */
export function hostProblem(request: IncomingMessage, allowedHosts: readonly string[]): string | undefined {
  const hostname = requestedUrl(request)?.hostname;
  return hostname !== undefined && (isLoopbackHost(hostname) || allowedHosts.includes(hostname))
    ? undefined
    : 'The sandbox answers on a loopback host name: call it as 127.0.0.1 or localhost, or start it with the name in allowedHosts (--allow-host).';
}

/** Why a request may not use the control API or the page. A web page elsewhere could post to them blindly. */
export function originProblem(request: IncomingMessage): string | undefined {
  const { origin } = request.headers;
  return origin === undefined || origin === requestedUrl(request)?.origin
    ? undefined
    : 'The sandbox answers its own page only.';
}

/** The address that a request was sent to. */
function requestedUrl({ headers: { host } }: IncomingMessage): URL | undefined {
  return host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
}
