import { type IncomingMessage } from 'node:http';
import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { Sessions } from './sessions.js';

type PersonRequest = IncomingMessage & { person?: string };

/** The token of the caller's session; empty if there is none. */
export function tokenOf({ headers }: IncomingMessage): string {
  return /(?:^|; )desk=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Admits those who are signed in, and nobody else. */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<PersonRequest>();
    const person = this.sessions.personOf(tokenOf(request));
    if (person === undefined) throw new UnauthorizedException('Sign in first.');
    request.person = person;
    return true;
  }
}

/** Who is signed in: never what the caller says. */
export const Person = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { person } = context.switchToHttp().getRequest<PersonRequest>();
  if (person === undefined) throw new UnauthorizedException('Sign in first.');
  return person;
});
