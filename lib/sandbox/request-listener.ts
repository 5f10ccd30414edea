import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { ControlProblem, problemAt } from './control/control-problem.js';
import { type ControlRoute } from './control/control-route.js';
import { isPage, sendPage } from './page/page-route.js';
import { sendTokenAccepted, sendTokenNeeded } from './page/token-pages.js';
import { type Refusal, refusedBeforehand } from './core/refusal.js';
import { sendJson } from './http/answer.js';
import { type GatewayRoute } from './http/gateway-route.js';
import { type AccessRules, hostProblem, originProblem } from './http/access-rules.js';

const WHOLE_URL = /^https?:\/\/([^/?]*)(.*)$/is;

/** Routes each request to the gateway's operations, the control API or the page. */
export function requestListener(
  gateway: GatewayRoute,
  control: ControlRoute,
  rules: AccessRules,
): RequestListener {
  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    takeWholeUrl(request);
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    if (gateway.matches(path)) {
      const problem = hostProblem(request, rules);
      if (problem === undefined) await gateway.handle(request, response, path);
      else sendRefusal(response, refusedBeforehand(403, 'FORBIDDEN', problem));
      return;
    }
    const link = path === '/' && request.method === 'GET' ? new URLSearchParams(query).get('token') : null;
    if (answersAtDoor(request, response, rules, { link, isPublic: control.isPublic(path) })) return;
    if (control.matches(path)) {
      await control.handle(request, response, path);
    } else if (request.method === 'GET' && isPage(path)) {
      sendPage(response, path, rules.frameAncestors);
    } else {
      sendRefusal(response, problemAt(path, 404, 'NOT_FOUND', `There is nothing at ${path}.`));
    }
  };
  return (request, response) => {
    route(request, response).catch((error: unknown) => {
      failed(request, response, error);
    });
  };
}

/** A target that is a whole URL names the host, in place of the Host header, and the path (RFC 9112, section 3.2.2). */
function takeWholeUrl(request: IncomingMessage): void {
  const [, host, target = ''] = WHOLE_URL.exec(request.url ?? '') ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = target.startsWith('/') ? target : `/${target}`;
}

/**
 * Answers a request for the control API or the page that may go no further. Returns false for one that may.
 *
 * @param asked The token of the page's link, if it has one, and whether the path needs no token.
 */
function answersAtDoor(
  request: IncomingMessage,
  response: ServerResponse,
  rules: AccessRules,
  asked: { readonly link: string | null; readonly isPublic: boolean },
): boolean {
  const problem = hostProblem(request, rules) ?? originProblem(request);
  if (problem !== undefined) {
    sendRefusal(response, new ControlProblem(403, 'FORBIDDEN', problem));
    return true;
  }
  const { token, guesses } = rules;
  if (token === undefined) return false;
  const address = request.socket.remoteAddress ?? '';
  const names = asked.link !== null || token.givenIn(request.headers).length > 0;
  const wait = names && !asked.isPublic ? guesses.secondsToWait(address) : 0;
  if (wait > 0) {
    sendTooManyGuesses(response, wait);
    return true;
  }
  if (asked.link !== null && token.equals(asked.link)) {
    sendTokenAccepted(response, token.cookie);
    return true;
  }
  if (asked.isPublic || token.isIn(request.headers)) return false;
  if (names) guesses.count(address);
  sendUnauthorized(request, response);
  return true;
}

/** The right token too, or the limit would be none. */
function sendTooManyGuesses(response: ServerResponse, seconds: number): void {
  response.setHeader('retry-after', String(seconds));
  const message = `This address named too many wrong tokens: wait ${seconds} s, then send the one that the emulator printed when it started.`;
  sendRefusal(response, new ControlProblem(429, 'TOO_MANY_GUESSES', message));
}

function sendUnauthorized(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.accept?.includes('text/html')) {
    sendTokenNeeded(response, 401);
    return;
  }
  response.setHeader('www-authenticate', 'Bearer');
  sendRefusal(
    response,
    new ControlProblem(
      401,
      'UNAUTHORIZED',
      'The control API needs its token here: send Authorization: Bearer <token>. The emulator printed the token when it started, or got it from PAYMENTS_SANDBOX_TOKEN, --token or controlToken.',
    ),
  );
}

/**
 * Most often the sender has gone, and nobody is left to answer. An error of the package says itself what to do:
 * the state could not be written. Any other one is a bug of the emulator.
 */
function failed(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (request.socket.destroyed || response.headersSent) {
    request.socket.destroy();
    return;
  }
  sendRefusal(response, problemAt(request.url, 500, 'SANDBOX_FAILED', messageOf(error)));
}

function messageOf(error: unknown): string {
  if (error instanceof PaymentsConfigError) return error.message;
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  return `The sandbox itself failed: ${reason}.`;
}

function sendRefusal(response: ServerResponse, { status, body }: Refusal | ControlProblem): void {
  sendJson(response, status, body);
}
