import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Admits the user `office` with OFFICE_PASSWORD. If it is not set, admits nobody. */
@Injectable()
export class OfficeGuard implements CanActivate {
  constructor(private readonly config: ConfigService) {}

  canActivate(context: ExecutionContext): boolean {
    const password = this.config.get<string>('OFFICE_PASSWORD');
    if (!password) throw new ForbiddenException('The office is closed: set OFFICE_PASSWORD to open it.');
    const http = context.switchToHttp();
    const { authorization = '', 'sec-fetch-site': from = 'none' } =
      http.getRequest<IncomingMessage>().headers;
    // A browser sends the password with clicks from any site. `none`: the user typed the address, or this is
    // not a browser.
    if (from !== 'same-origin' && from !== 'none')
      throw new ForbiddenException('Open the office from its own page.');
    const expected = `Basic ${Buffer.from(`office:${password}`).toString('base64')}`;
    if (timingSafeEqual(digest(authorization), digest(expected))) return true;
    http.getResponse<ServerResponse>().setHeader('WWW-Authenticate', 'Basic realm="office", charset="UTF-8"');
    throw new UnauthorizedException('Say who you are.');
  }
}
