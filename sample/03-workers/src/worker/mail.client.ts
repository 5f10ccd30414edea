import { Inject, Injectable } from '@nestjs/common';
import { type Settings, settings } from '../common/settings.js';

export interface Mail {
  readonly to: string;
  readonly subject: string;
}

/** The mail service of the house. Like every good one it takes a key, and sends one mail for it however often it is asked. */
@Injectable()
export class MailClient {
  constructor(@Inject(settings.KEY) private readonly environment: Settings) {}

  /** @param signal Ends the call when the handler may take no longer. */
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
