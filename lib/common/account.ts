/**
 * Name of the merchant account that a registration without a `name` stands for.
 *
 * @publicApi
 */
export const DEFAULT_ACCOUNT = 'default';

/**
 * Which of the gateway's two environments a pair of keys belongs to (specification, "Versioning" 2).
 *
 * @publicApi
 */
export type PaymentsEnvironment = 'sandbox' | 'production';
