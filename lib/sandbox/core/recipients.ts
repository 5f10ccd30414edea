const PHONE = /^255\d{9}$/;
const ACCOUNT_NUMBER = /^\d{5,20}$/;

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

type SandboxNetwork = (typeof SANDBOX_NETWORKS)[number];

/** The invented network of a phone number: always the same for the same number. */
export function networkOf(phone: string): SandboxNetwork {
  const prefix = Number(phone.slice(3, 5));
  return SANDBOX_NETWORKS[prefix % SANDBOX_NETWORKS.length] ?? 'NET_ONE';
}

export function isNetwork(value: string): value is SandboxNetwork {
  return SANDBOX_NETWORKS.some((network) => network === value);
}

/** Whether a phone number has the gateway's form (specification, "Endpoints" 7). */
export function isPhone(value: string): boolean {
  return PHONE.test(value);
}

/** Invented: the specification does not show what a bank account number looks like. */
export function isAccountNumber(value: string): boolean {
  return ACCOUNT_NUMBER.test(value);
}
