import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { bearerToken } from '../core/credentials.js';

/** The token that opens the control API and the page. */
export class AccessToken {
  private readonly digest: Buffer;
  /** Cookies ignore ports: each emulator of one host needs a name of its own. */
  private readonly cookieName: string;

  constructor(private readonly text: string) {
    this.digest = digestOf(text);
    this.cookieName = `payments_sandbox_${this.digest.toString('hex').slice(0, 12)}`;
  }

  /** The `Set-Cookie` header of the page. No script reads the cookie, and no other site sends it. */
  get cookie(): string {
    return `${this.cookieName}=${this.text}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Compares in constant time, whatever the length. */
  equals(given: string): boolean {
    return timingSafeEqual(this.digest, digestOf(given));
  }

  /** Whether a request has the token: as a bearer token, or in the page's cookie. */
  isIn(headers: IncomingHttpHeaders): boolean {
    return this.givenIn(headers).some((text) => this.equals(text));
  }

  /** The tokens that a request has, right or wrong. */
  givenIn({ authorization, cookie = '' }: IncomingHttpHeaders): readonly string[] {
    const cookies = cookie.split(';').map((pair) => pair.trim().split('=', 2));
    const given = [
      bearerToken(authorization),
      ...cookies.filter(([name]) => name === this.cookieName).map(([, value]) => value),
    ];
    return given.filter((text) => text !== undefined);
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
