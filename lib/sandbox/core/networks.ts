/**
 * The six mobile networks of the emulator. The specification shows six upper-case tokens without their names
 * ("Endpoints" 7), so these are placeholders.
 */
export const SANDBOX_NETWORKS = [
  'NET_ONE',
  'NET_TWO',
  'NET_THREE',
  'NET_FOUR',
  'NET_FIVE',
  'NET_SIX',
] as const;

export type SandboxNetwork = (typeof SANDBOX_NETWORKS)[number];

/** The network that a phone number belongs to: invented, and always the same for the same number. */
export function networkOf(phone: string): SandboxNetwork {
  const prefix = Number(phone.slice(3, 5));
  return SANDBOX_NETWORKS[prefix % SANDBOX_NETWORKS.length] ?? 'NET_ONE';
}

export function isNetwork(value: string): value is SandboxNetwork {
  return SANDBOX_NETWORKS.some((network) => network === value);
}
