import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RawBodyCapture } from './capture/raw-body.capture.js';
import { UnverifiedBytes } from './capture/unverified-bytes.js';
import { WebhookPaths } from './capture/webhook-paths.js';
import { PaymentHandlers } from './handlers/payment.handlers.js';
import { WebhookBootCheck } from './routes/webhook-boot.check.js';
import { WebhookAccounts } from './webhook-accounts.js';

/** What all accounts share: raw bytes, handlers, the list of accounts. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    WebhookAccounts,
    WebhookPaths,
    UnverifiedBytes,
    PaymentHandlers,
    RawBodyCapture,
    WebhookBootCheck,
  ],
  exports: [WebhookAccounts, PaymentHandlers],
})
export class PaymentsWebhooksModule {}
