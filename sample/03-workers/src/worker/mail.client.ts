import { Inject, Injectable } from '@nestjs/common';
import { type Settings, settings } from '../common/settings.js';

export interface Mail {
  readonly to: string;
  readonly subject: string;
}

/**
 * The client of the mail service, which takes a key and sends one mail for it, however often it is called.
 */
@Injectable()
export class MailClient {
  constructor(@Inject(settings.KEY) private readonly environment: Settings) {}

  /** @param signal Ends the call at the handler's time limit. */
  async send(mail: Mail, key: string, signal: AbortSignal): Promise<void> {
    const { status } = await fetch(`${this.environment.mailUrl}/mails`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(mail),
      signal,
    });
    if (status !== 200) throw new Error(`The mail service answered ${status} instead of 200.`);
  }
}
