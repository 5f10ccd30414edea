import {
  Body,
  Controller,
  HttpCode,
  type INestApplication,
  Post,
  type Type,
  UseGuards,
  Version,
  VersioningType,
} from '@nestjs/common';
import { PaymentsWebhookGuard } from 'nestjs-payments';

/** The path of both routes. */
export const VERSIONED_PATH = '/versions/payments';

/** Tells routes apart by the header `x-version`. */
export function versionByHeader(app: INestApplication): void {
  app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version' });
}

/** Two routes of one path: version 1 takes the webhooks of the default account, version 2 those of another. */
export function versionedRoutes(account: string, received: (body: unknown) => void): Type {
  @Controller('versions')
  class Versions {
    @Version('1')
    @Post('payments')
    @HttpCode(200)
    @UseGuards(PaymentsWebhookGuard)
    first(@Body() body: unknown): void {
      received(body);
    }

    @Version('2')
    @Post('payments')
    @HttpCode(200)
    @UseGuards(PaymentsWebhookGuard.for(account))
    second(@Body() body: unknown): void {
      received(body);
    }
  }
  return Versions;
}
