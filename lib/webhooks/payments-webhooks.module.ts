import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RawBodyCapture } from './route/capture-routes.js';
import { ForeignAnswersLog } from './route/foreign-answers.log.js';
import { UnverifiedBytes } from './raw-body/captured-body.js';
import { EarlierRoutes } from './route/earlier-routes.js';
import { WebhookPaths } from './route/webhook-paths.js';
import { PaymentHandlers } from './handlers/payment-handlers.js';
import { WebhookBootCheck } from './route/webhook-boot-check.js';
import { WebhookAccounts } from './delivery/webhook-accounts.js';

/** The providers that all accounts share. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    WebhookAccounts,
    WebhookPaths,
    EarlierRoutes,
    UnverifiedBytes,
    PaymentHandlers,
    ForeignAnswersLog,
    RawBodyCapture,
    WebhookBootCheck,
  ],
  exports: [WebhookAccounts, PaymentHandlers],
})
export class PaymentsWebhooksModule {}
