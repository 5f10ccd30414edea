import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Who works at the desk. A stand-in for the login that a company has: passwords are in the environment, and a restart
 * forgets who was signed in. What matters to batches is only that a person cannot sign in as another one.
 */
@Injectable()
export class Sessions {
  /** By name. `PAYROLL_PEOPLE=asha:her-password,omari:his-password`; nobody if it is missing. */
  private readonly passwords: ReadonlyMap<string, Buffer>;
  private readonly people = new Map<string, string>();

  constructor(config: ConfigService) {
    const people = config.get<string>('PAYROLL_PEOPLE', '').matchAll(/(\w+):([^,\s]+)/g);
    this.passwords = new Map([...people].map(([, name = '', password = '']) => [name, digest(password)]));
  }

  /** Returns the token of a new session; undefined if name or password is wrong. */
  signIn(name: string, password: string): string | undefined {
    const expected = this.passwords.get(name);
    if (!expected || !timingSafeEqual(expected, digest(password))) return undefined;
    const token = randomBytes(32).toString('base64url');
    this.people.set(token, name);
    return token;
  }

  personOf(token: string): string | undefined {
    return this.people.get(token);
  }

  signOut(token: string): void {
    this.people.delete(token);
  }
}
