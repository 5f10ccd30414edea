import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

const SHORTEST = 32;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Admits requests with `Authorization: Bearer <ADMIN_KEY>`. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly expected: () => string;

  constructor(config: ConfigService) {
    const key = config.get<string>('ADMIN_KEY', '');
    if (key.length < SHORTEST)
      throw new Error(`ADMIN_KEY must have ${SHORTEST} characters: openssl rand -hex 32`);
    this.expected = () => `Bearer ${key}`;
  }

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<IncomingMessage>().headers;
    if (timingSafeEqual(digest(authorization), digest(this.expected()))) return true;
    throw new UnauthorizedException('Say who you are.');
  }
}
