/** Channels that can be looked up (specification, "Endpoints" 5). */
export const LOOKUP_CHANNELS = ['MOBILE_MONEY', 'BANK', 'PARTNERPESA'] as const;

/**
 * Where an account is held.
 *
 * @useDeclaredType
 * @publicApi
 */
export type LookupChannel = (typeof LOOKUP_CHANNELS)[number];
