const LOOPBACK_V4 = /^127(?:\.\d{1,3}){3}$/;
const HOSTNAME = /^[a-z\d](?:[\w.-]*[a-z\d])?$/i;

/** Whether a host name, without its port, means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(hostname) || LOOPBACK_V4.test(hostname);
}

/** Normalizes a host name like a parsed `Host` header; undefined if it is not a plain name. */
export function plainHostname(name: string): string | undefined {
  return HOSTNAME.test(name) && URL.canParse(`http://${name}`)
    ? new URL(`http://${name}`).hostname
    : undefined;
}
