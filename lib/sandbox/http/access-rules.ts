import { type IncomingMessage } from 'node:http';
import { AccessToken } from './access-token.js';
import { GuessLimit } from './guess-limit.js';
import { isAddress, isLoopbackHost } from './loopback.js';

/** Who may call the emulator, and frame its page. */
export interface AccessRules {
  /** Accepted host names beside those of the loopback interface. */
  readonly allowedHosts: readonly string[];
  /** Whether other machines may call it, by an IP address or an allowed name. */
  readonly allowRemote: boolean;
  /** The token that the control API and the page demand; undefined for none. */
  readonly token: AccessToken | undefined;
  /** How often an address may name a wrong token. */
  readonly guesses: GuessLimit;
  /** Origins whose pages may show the emulator's page in a frame. */
  readonly frameAncestors: readonly string[];
}

/** The rules that an emulator's settings say. */
export function accessRulesOf({
  controlToken,
  allowedHosts,
  allowRemote,
  frameAncestors,
}: Omit<AccessRules, 'token' | 'guesses'> & { readonly controlToken: string | undefined }): AccessRules {
  const token = controlToken === undefined ? undefined : new AccessToken(controlToken);
  return { allowedHosts, allowRemote, token, frameAncestors, guesses: new GuessLimit() };
}

/**
 * Why the emulator refuses a request's host name; undefined if it accepts it. A foreign web page could reach
 * the emulator under its own name (DNS rebinding) and read every answer. An IP address is nobody's name.
 */
export function hostProblem(
  request: IncomingMessage,
  { allowedHosts, allowRemote }: AccessRules,
): string | undefined {
  const hostname = requestedUrl(request)?.hostname ?? '';
  if (isLoopbackHost(hostname) || allowedHosts.includes(hostname)) return undefined;
  if (allowRemote && isAddress(hostname)) return undefined;
  const [names, example] = allowRemote
    ? ['an IP address', 'its address']
    : ['a loopback host name', '127.0.0.1 or localhost'];
  return `The sandbox answers on ${names}: call it as ${example}, or start it with the name in allowedHosts (--allow-host).`;
}

/**
 * Why the control API and the page refuse a request's origin; undefined if they accept it. A foreign web page
 * could post to them blindly.
 */
export function originProblem(request: IncomingMessage): string | undefined {
  const { origin } = request.headers;
  const isOwn =
    origin === undefined ? !isPartOfForeignPage(request) : origin === requestedUrl(request)?.origin;
  return isOwn ? undefined : 'The sandbox answers its own page only.';
}

/** An image or a script of a foreign page has no `Origin`. A link that a user follows is no part of its page. */
function isPartOfForeignPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  return site !== 'same-origin' && site !== 'none' && headers['sec-fetch-mode'] !== 'navigate';
}

/** The URL that a request asks for. */
function requestedUrl({ headers: { host } }: IncomingMessage): URL | undefined {
  return host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
}
