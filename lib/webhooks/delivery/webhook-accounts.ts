import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { isAccountName, isAccountNameOfPath } from '../../common/account-name.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import {
  type DeliveryCheck,
  type FoundAccount,
  type NamedAccount,
  type Receiving,
} from './delivery-check.js';
import { type WebhookReceiver } from './webhook-receiver.js';

/** The accounts of a resolver, as far as their webhooks need them. */
export interface ResolvedAccounts extends Receiving {
  /** Checks the deliveries of accounts that do not exist; undefined if no account receives webhooks. */
  readonly nobody: DeliveryCheck | undefined;
  /** Their receivers take deliveries from now on. */
  open(): void;
  /** Their receivers refuse deliveries, and wait for running ones. Never rejects. */
  close(): Promise<void>;
  /**
   * The account that the path of a delivery names. Limits what strangers can make the resolver do. Never rejects.
   *
   * @param bytes The length of the body that waits for it.
   */
  find(account: string, bytes: number): FoundAccount | Promise<FoundAccount>;
  /**
   * An account that is known to exist.
   *
   * @throws PaymentsAccountError if it does not exist any more, or cannot be looked up now.
   */
  hold(account: string): Promise<NamedAccount>;
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

  /** The registrations that have a `webhooks` option: accounts, and one whose accounts come from a resolver. */
  receiving(): readonly string[] {
    const registered = [...this.receivers].flatMap(([account, receiver]) => (receiver ? [account] : []));
    return this.resolver?.accounts.nobody ? [...registered, this.resolver.registration] : registered;
  }

  find(account: string): WebhookReceiver | undefined {
    return this.receivers.get(account);
  }

  /** What receives the webhooks of a registration; undefined if it has no `webhooks` option. */
  receiverOf(registration: string): Receiving | undefined {
    const { resolver } = this;
    if (resolver?.registration !== registration) return this.receivers.get(registration);
    return resolver.accounts.nobody && resolver.accounts;
  }

  /** What a delivery is checked with before the account that its path names is looked up. */
  checkFor(name: string | undefined): DeliveryCheck | undefined {
    return (name !== undefined && this.receivers.get(name)) || this.resolver?.accounts.nobody;
  }

  /**
   * The account that a path names. A registered one comes before one of the same name that the resolver knows.
   *
   * @param bytes The length of the body that waits for it.
   */
  named(name: string | undefined, bytes: number): FoundAccount | Promise<FoundAccount> {
    const registered = name !== undefined && this.receivers.get(name);
    if (registered) return { check: registered, receiver: registered, release: nothing };
    const { accounts } = this.resolverFor('A path that names an account');
    const isForResolver = isAccountNameOfPath(name) && !this.receivers.has(name);
    return isForResolver
      ? accounts.find(name, bytes)
      : { check: accounts.nobody, receiver: undefined, release: nothing };
  }

  /**
   * An account whose delivery was verified before.
   *
   * @throws PaymentsConfigError if it is not registered or has no `webhooks` option.
   * @throws PaymentsAccountError if a resolver does not know it any more, or fails.
   */
  async hold(account: string, usedBy: string): Promise<NamedAccount> {
    if (this.resolver && !this.receivers.has(account)) return this.resolver.accounts.hold(account);
    const receiver = this.get(account, usedBy);
    return { check: receiver, receiver, release: nothing };
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
        `${usedBy} receives webhooks of the account '${account}', which no PaymentsModule registers by this name: for the accounts of ` +
          "a resolver, let the path name them, @PaymentsWebhook('payments/:account').",
      );
    }
    throw new PaymentsConfigError(
      `${usedBy} receives webhooks of the account '${account}', which has no \`webhooks\` option: ` +
        'add webhooks: { scheme, secrets } to its options.',
    );
  }

  /**
   * The registration whose accounts come from a resolver and receive webhooks.
   *
   * @throws PaymentsConfigError if there is none.
   */
  resolverFor(usedBy: string): {
    readonly registration: string;
    readonly accounts: ResolvedAccounts & { readonly nobody: DeliveryCheck };
  } {
    const { resolver } = this;
    if (!resolver) {
      throw new PaymentsConfigError(
        `${usedBy} has the parameter \`:account\`, which names an account, but no PaymentsModule has the option \`accounts\`: add ` +
          'accounts: { resolve }, name the account with { account }, or give the parameter another name.',
      );
    }
    const { registration, accounts } = resolver;
    const { nobody } = accounts;
    if (nobody) return { registration, accounts: accounts as typeof accounts & { nobody: DeliveryCheck } };
    throw new PaymentsConfigError(
      `${usedBy} receives webhooks of the accounts of \`accounts.resolve\`, but there is no \`webhooks\` option beside \`accounts\`: ` +
        'add webhooks: { scheme }, and return webhooks: { secrets } from accounts.resolve.',
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
    await setImmediate();
  }
}

function nothing(): void {}
