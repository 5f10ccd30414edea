import { type Conclusion } from '../conclusion.js';

/** A conclusion without the name of its question. */
export type Found = Omit<Conclusion, 'question'>;

export function silent(says: string): Found {
  return { verdict: 'silent', says, evidence: [] };
}
