const LOOPBACK_V4 = /^127(?:\.\d{1,3}){3}$/;
const HOSTNAME = /^[a-z\d](?:[\w.-]*[a-z\d])?$/i;

/** Whether a host name, without its port, stands for this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(hostname) || LOOPBACK_V4.test(hostname);
}

/** A host name as a `Host` header gives it after parsing; undefined where it is none, or holds more than a name. */
export function plainHostname(name: string): string | undefined {
  return HOSTNAME.test(name) && URL.canParse(`http://${name}`)
    ? new URL(`http://${name}`).hostname
    : undefined;
}
