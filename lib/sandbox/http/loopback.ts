import { isIP } from 'node:net';

const LOOPBACK_V4 = /^127(?:\.\d{1,3}){3}$/;
const HOSTNAME = /^[a-z\d](?:[\w.-]*[a-z\d])?$/i;
/** Listening on a wildcard means every address of this machine, so the loopback one too. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Whether a host name, without its port, means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '[::1]'].includes(hostname) || isLoopbackAddress(hostname);
}

/** Whether a resolved IP address is one of this machine alone. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || LOOPBACK_V4.test(address);
}

/** Whether a host name is an IP address. No DNS rebinding leads to one. */
export function isAddress(hostname: string): boolean {
  return isIP(withoutBrackets(hostname)) !== 0;
}

/** Whether a server with this host listens on every address of the machine. */
export function isWildcard(host: string): boolean {
  return withoutBrackets(host) in WILDCARDS;
}

/** The host of a URL under which a server that listens on `host` can be called from this machine. */
export function urlHost(host: string): string {
  const plain = withoutBrackets(host);
  const called = WILDCARDS[plain] ?? plain;
  return called.includes(':') ? `[${called}]` : called;
}

/** Normalizes a host name like a parsed `Host` header; undefined if it is not a plain name. */
export function plainHostname(name: string): string | undefined {
  return HOSTNAME.test(name) && URL.canParse(`http://${name}`)
    ? new URL(`http://${name}`).hostname
    : undefined;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
