import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isAccountName } from '../../common/account-name.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type WebhookReceiver } from './webhook-receiver.js';

/** The accounts of a resolver, as far as their webhooks need them. */
export interface ResolvedAccounts {
  /** Their receivers take deliveries from now on. */
  open(): void;
  /** Their receivers refuse deliveries, and wait for running ones. Never rejects. */
  close(): Promise<void>;
}

/** The registered accounts and the receivers of their webhooks, of the whole application. */
@Injectable()
export class WebhookAccounts implements OnModuleDestroy {
  private readonly receivers = new Map<string, WebhookReceiver | undefined>();
  /** The registration whose accounts come from a resolver. */
  private resolver: { readonly registration: string; readonly accounts: ResolvedAccounts } | undefined;

  /**
   * @param receiver Undefined if the account has no `webhooks` option.
   * @throws PaymentsConfigError if the account is registered already.
   */
  add(account: string, receiver: WebhookReceiver | undefined): void {
    if (this.receivers.has(account) || this.resolver?.registration === account) {
      throw new PaymentsConfigError(
        `The account '${account}' is registered twice: keep one PaymentsModule.forRoot or forRootAsync of it and set ` +
          "isGlobal: true there, or give the other account a name of its own: { name: 'payouts' }.",
      );
    }
    this.receivers.set(account, receiver);
  }

  /**
   * Adds a registration whose accounts come from a resolver.
   *
   * @throws PaymentsConfigError if the name is registered already.
   */
  addResolver(registration: string, accounts: ResolvedAccounts): void {
    this.add(registration, undefined);
    this.receivers.delete(registration);
    this.resolver = { registration, accounts };
  }

  /** Takes deliveries from now on, because the application has started. */
  open(): void {
    for (const receiver of this.receivers.values()) receiver?.open();
    this.resolver?.accounts.open();
  }

  /** Accounts that have a `webhooks` option. */
  receiving(): readonly string[] {
    return [...this.receivers].flatMap(([account, receiver]) => (receiver ? [account] : []));
  }

  find(account: string): WebhookReceiver | undefined {
    return this.receivers.get(account);
  }

  /** @throws PaymentsConfigError if the account is not registered. */
  assertKnown(account: string, usedBy: string): void {
    // A resolver says only at run time which accounts there are.
    if (this.receivers.has(account) || (this.resolver !== undefined && isAccountName(account))) return;
    const known = [...this.receivers.keys()].map((name) => `'${name}'`).join(', ') || 'none';
    throw new PaymentsConfigError(
      `${usedBy} belongs to the account '${account}', which no PaymentsModule registers (registered: ${known}): ` +
        'name one of them with { account }, or register it with PaymentsModule.forRoot({ name }).',
    );
  }

  /** @throws PaymentsConfigError if the account is not registered or has no `webhooks` option. */
  get(account: string, usedBy: string): WebhookReceiver {
    this.assertKnown(account, usedBy);
    const receiver = this.receivers.get(account);
    if (receiver) return receiver;
    if (!this.receivers.has(account)) {
      throw new PaymentsConfigError(
        `${usedBy} receives webhooks of the account '${account}', which no PaymentsModule registers by this name: for an account of ` +
          'a resolver, call PaymentsAccounts.for(account).inbox.receive() in a route of your own.',
      );
    }
    throw new PaymentsConfigError(
      `${usedBy} receives webhooks of the account '${account}', which has no \`webhooks\` option: ` +
        'add webhooks: { scheme, secrets } to its options.',
    );
  }

  /**
   * Runs in the first phase of a shutdown, so that handlers still have everything that closes in later
   * phases. New deliveries are answered 503, so that the gateway delivers them again. Nest runs these hooks
   * module by module, so other modules may have closed things in this phase.
   */
  async onModuleDestroy(): Promise<void> {
    const closing = [...this.receivers.values()].map(async (receiver) => receiver?.close());
    await Promise.all([...closing, this.resolver?.accounts.close()]);
    // The server closes next, so pending answers leave first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
