import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';

/** An answer to the gateway that is no 200. */
export class WebhookRefusal extends HttpException {
  constructor(status: 400 | 401 | 413 | 415 | 422 | 500 | 503, message: string) {
    super(HttpException.createBody(message, STATUS_CODES[status] ?? '', status), status);
  }
}

interface ResponseLike {
  status(code: number): { send(body: unknown): unknown };
}

/**
 * Answers refusals as they are. The application's own filters may answer every error with 200, or send every 401 to a
 * login page; the gateway would take a delivery for handled that was not.
 */
@Catch(WebhookRefusal)
export class WebhookRefusalFilter implements ExceptionFilter<WebhookRefusal> {
  catch(refusal: WebhookRefusal, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<ResponseLike>().status(refusal.getStatus()).send(refusal.getResponse());
  }
}
