import { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Post,
  Req,
  Res,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { IsString } from 'class-validator';
import { Sessions } from './sessions.js';
import { Person, SignedInGuard, tokenOf } from './signed-in.guard.js';

class SignInDto {
  @IsString()
  readonly name!: string;

  @IsString()
  readonly password!: string;
}

// `Strict`: a browser does not send it with what another site asks for. Behind TLS, add `Secure`.
const COOKIE = 'Path=/; HttpOnly; SameSite=Strict';

@Controller('session')
export class SessionController {
  constructor(private readonly sessions: Sessions) {}

  @Get()
  @UseGuards(SignedInGuard)
  who(@Person() person: string): { person: string } {
    return { person };
  }

  @Post()
  @HttpCode(200)
  signIn(
    @Body() { name, password }: SignInDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): { person: string } {
    const token = this.sessions.signIn(name, password);
    if (token === undefined) throw new UnauthorizedException('The name or the password is wrong.');
    response.setHeader('Set-Cookie', `desk=${token}; ${COOKIE}`);
    return { person: name };
  }

  @Delete()
  @HttpCode(204)
  signOut(@Req() request: IncomingMessage): void {
    this.sessions.signOut(tokenOf(request));
  }
}
