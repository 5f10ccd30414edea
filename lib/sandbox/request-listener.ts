import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { ControlProblem } from './control/control-problem.js';
import { type ControlRoute } from './control/control-route.js';
import { isPage, sendPage } from './page/page-route.js';
import { type Refusal, refusedBeforehand } from './core/refusal.js';
import { sendJson } from './http/answer.js';
import { type GatewayRoute } from './http/gateway-route.js';
import { isLoopbackHost } from './http/loopback.js';

/**
 * Routes each request to the gateway's operations, the control API or the page.
 *
 * @param allowedHosts Accepted host names beside those of the loopback interface.
 */
export function requestListener(
  gateway: GatewayRoute,
  control: ControlRoute,
  allowedHosts: readonly string[],
): RequestListener {
  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (gateway.matches(path)) {
      const problem = hostProblem(request, allowedHosts);
      if (problem === undefined) await gateway.handle(request, response, path);
      else sendRefusal(response, refusedBeforehand(403, 'FORBIDDEN', problem));
      return;
    }
    const problem = hostProblem(request, allowedHosts) ?? originProblem(request);
    if (problem !== undefined) {
      sendRefusal(response, new ControlProblem(403, 'FORBIDDEN', problem));
    } else if (control.matches(path)) {
      await control.handle(request, response, path);
    } else if (request.method === 'GET' && isPage(path)) {
      sendPage(response, path);
    } else {
      sendRefusal(response, refusedBeforehand(404, 'NOT_FOUND', `There is nothing at ${path}.`));
    }
  };
  return (request, response) => {
    route(request, response).catch((error: unknown) => {
      failed(request, response, error);
    });
  };
}

/** Most often the sender has gone, and nobody is left to answer. Otherwise it is a bug of the emulator. */
function failed(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (request.socket.destroyed || response.headersSent) {
    request.socket.destroy();
    return;
  }
  const reason = error instanceof Error ? error.message : String(error);
  sendRefusal(response, refusedBeforehand(500, 'SANDBOX_FAILED', `The sandbox itself failed: ${reason}.`));
}

function sendRefusal(response: ServerResponse, { status, body }: Refusal | ControlProblem): void {
  sendJson(response, status, body);
}

/**
 * Why the emulator refuses a request's host name; undefined if it accepts it. A foreign web page could reach
 * this machine under its own name (DNS rebinding) and read every answer.
 *
 * @param allowedHosts Host names beside those of the loopback interface.
 */
function hostProblem(request: IncomingMessage, allowedHosts: readonly string[]): string | undefined {
  const hostname = requestedUrl(request)?.hostname;
  return hostname !== undefined && (isLoopbackHost(hostname) || allowedHosts.includes(hostname))
    ? undefined
    : 'The sandbox answers on a loopback host name: call it as 127.0.0.1 or localhost, or start it with the name in allowedHosts (--allow-host).';
}

/**
 * Why the control API and the page refuse a request's origin. A foreign web page could post to them blindly.
 */
function originProblem(request: IncomingMessage): string | undefined {
  const { origin } = request.headers;
  return origin === undefined || origin === requestedUrl(request)?.origin
    ? undefined
    : 'The sandbox answers its own page only.';
}

/** The URL that a request asks for. */
function requestedUrl({ headers: { host } }: IncomingMessage): URL | undefined {
  return host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
}
