import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { HttpModule, HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { firstValueFrom } from 'rxjs';
import { PlainPaymentDto } from './plain-dto.mjs';
import { checkAnswer, HEADERS, PATH, paymentOf } from './request.mjs';

/** What most Nest applications write: HttpService, firstValueFrom, class-transformer and class-validator. */
export async function start({ baseUrl }) {
  const { origin } = new URL(baseUrl);
  const httpAgent = new http.Agent({ keepAlive: true, maxSockets: 50 });
  const app = await NestFactory.createApplicationContext(HttpModule.register({ httpAgent }), {
    logger: false,
  });
  const service = app.get(HttpService);
  return async (reference) => {
    const dto = plainToInstance(PlainPaymentDto, paymentOf(reference));
    if (validateSync(dto).length > 0) throw new Error('the request is wrong');
    const { data } = await firstValueFrom(
      service.post(
        origin + PATH,
        { ...dto, amount: Number(dto.amount), currency: 'TZS' },
        { headers: { ...HEADERS, 'Idempotency-Key': randomUUID() } },
      ),
    );
    checkAnswer(data, reference);
  };
}
