const LOOPBACK_V4 = /^127(?:\.\d{1,3}){3}$/;

/** Whether a host name, without its port, stands for this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(hostname) || LOOPBACK_V4.test(hostname);
}
