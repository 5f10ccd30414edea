import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';

/** Made up and always the same: the emulator has no rate limit. */
const LIMIT = { limit: '100', remaining: '99', reset: '60' };

/** The headers that tell the rate limit, on every answer. */
export function rateLimitHeaders({
  'rate limit headers': kind,
}: ResolvedFacts): readonly (readonly [name: string, value: string])[] {
  if (kind === 'none') return [];
  const prefix = kind === 'ratelimit' ? 'ratelimit' : 'x-ratelimit';
  return Object.entries(LIMIT).map(([name, value]) => [`${prefix}-${name}`, value]);
}
