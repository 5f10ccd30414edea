import { restyled, type SourceStyle } from './source-style.js';

/** The controller with the webhook route. */
export function controllerFile(className: string, style: SourceStyle): string {
  return written(
    `import { Controller } from '@nestjs/common';
import { PaymentsWebhook } from 'nestjs-payments';

@Controller('webhooks')
export class ${className} {
  /** POST /webhooks/payments: runs once per outcome, after every @OnPayment method. */
  @PaymentsWebhook('payments')
  received(): void {}
}
`,
    style,
  );
}

/** The handlers of outcomes. */
export function handlerFile(className: string, style: SourceStyle): string {
  return written(
    `import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';

/**
 * Each method runs once per outcome, before the gateway gets its answer. If one throws, the gateway delivers
 * again.
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
`,
    style,
  );
}

function written(text: string, style: SourceStyle): string {
  return restyled(text, style).replaceAll('\n', style.newline);
}
