import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { accessProblem } from '../control/access.js';
import { ControlProblem } from '../control/control-problem.js';
import { type ControlRoute } from '../control/control-route.js';
import { isPage, sendPage } from '../control/page-route.js';
import { refusedBeforehand } from '../core/refusal.js';
import { JSON_TYPE, send } from './answer.js';
import { type GatewayRoute } from './gateway-route.js';

/** Leads each request to the gateway's operations, the control API or the page. */
export function requestListener(gateway: GatewayRoute, control: ControlRoute): RequestListener {
  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (gateway.matches(path)) {
      await gateway.handle(request, response, path);
      return;
    }
    const problem = accessProblem(request);
    if (problem !== undefined) {
      const { status, body } = new ControlProblem(403, 'FORBIDDEN', problem);
      send(response, status, JSON_TYPE, JSON.stringify(body));
    } else if (control.matches(path)) {
      await control.handle(request, response, path);
    } else if (request.method === 'GET' && isPage(path)) {
      sendPage(response, path);
    } else {
      const { status, body } = refusedBeforehand(404, 'NOT_FOUND', `There is nothing at ${path}.`);
      send(response, status, JSON_TYPE, JSON.stringify(body));
    }
  };
  return (request, response) => {
    route(request, response).catch((error: unknown) => {
      failed(request, response, error);
    });
  };
}

/** Most often the sender went away in the middle, and nobody is left to answer; otherwise the emulator itself is at fault. */
function failed(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (request.socket.destroyed || response.headersSent) {
    request.socket.destroy();
    return;
  }
  const reason = error instanceof Error ? error.message : String(error);
  const { status, body } = refusedBeforehand(500, 'SANDBOX_FAILED', `The sandbox itself failed: ${reason}.`);
  send(response, status, JSON_TYPE, JSON.stringify(body));
}
