import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { HttpException, HttpStatus, Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

/** Wrong passwords for one name within a minute. */
const MOST_FAILURES = 5;
const MINUTE_MS = 60_000;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Who works at the desk. A stand-in for the login that a company has: passwords are in the environment, and a restart
 * forgets who was signed in. What matters to batches is only that a person cannot sign in as another one.
 */
@Injectable()
export class Sessions {
  /** By name. `PAYROLL_PEOPLE=asha:her-password,omari:his-password`. */
  private readonly passwords: ReadonlyMap<string, Buffer>;
  private readonly people = new Map<string, string>();
  /** When somebody gave a wrong password, by name. */
  private readonly failures = new Map<string, readonly number[]>();

  constructor(config: ConfigService) {
    const people = config.get<string>('PAYROLL_PEOPLE', '').matchAll(/(\w+):([^,\s]+)/g);
    this.passwords = new Map([...people].map(([, name = '', password = '']) => [name, digest(password)]));
    if (this.passwords.size === 0)
      throw new Error(
        'PAYROLL_PEOPLE names nobody: write name:password, each password from openssl rand -hex 32',
      );
  }

  /** Returns the token of a new session; undefined if name or password is wrong. */
  signIn(name: string, password: string): string | undefined {
    const expected = this.passwords.get(name);
    if (!expected) return undefined;
    const failures = (this.failures.get(name) ?? []).filter((at) => at > Date.now() - MINUTE_MS);
    if (failures.length >= MOST_FAILURES)
      throw new HttpException('Too many wrong passwords: wait a minute.', HttpStatus.TOO_MANY_REQUESTS);
    if (!timingSafeEqual(expected, digest(password))) {
      this.failures.set(name, [...failures, Date.now()]);
      return undefined;
    }
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
