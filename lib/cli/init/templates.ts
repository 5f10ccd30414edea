/** The controller with the webhook route, in the style of `nest new`. */
export function controllerFile(className: string): string {
  return `import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class ${className} {
  /** POST /webhooks/payments: runs after every @OnPayment method. It may run twice: make it harmless. */
  @PaymentsWebhook('payments')
  received(): void {}
}
`;
}

/** The handlers of outcomes, in the style of `nest new`. */
export function handlerFile(className: string): string {
  return `import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';

/**
 * Each method runs before the gateway gets its answer. If one throws, the gateway delivers again. A method may
 * run twice for one outcome, for example if its process dies: make it harmless.
 */
@Injectable()
export class ${className} {
  private readonly logger = new Logger(${className}.name);

  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    const { reference, amount } = data;
    this.logger.log(\`Paid: \${JSON.stringify(reference)}, \${amount} TZS\`);
  }

  @OnPayment('payment.failed')
  @OnPayment('payment.cancelled')
  @OnPayment('payment.expired')
  notPaid({ event, data }: PaymentWebhookEvent): void {
    this.logger.log(\`Not paid: \${JSON.stringify(data.reference)}, \${event}\`);
  }

  /** Contradicts the recorded outcome or amount: PaymentsInbox lists and releases it. */
  @OnPayment('payment.conflict')
  @OnPayment('payment.mismatch')
  contradicted({ event, data }: PaymentWebhookEvent): void {
    this.logger.warn(\`Set aside: \${JSON.stringify(data.reference)}, \${event}\`);
  }
}
`;
}
