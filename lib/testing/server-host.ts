const EVERYWHERE = ['0.0.0.0', '::'];

/** The address under which this machine reaches a server of its own that listens on `address`. */
export function reachable(address: string): string {
  return EVERYWHERE.includes(address) ? '127.0.0.1' : address;
}
