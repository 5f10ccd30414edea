import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { isLoopbackHost } from '../sandbox/http/loopback.js';
import { WebhookPaths } from '../webhooks/route/webhook-paths.js';
import { reachable } from './open-server.js';
import { TestedAccounts } from './tested-accounts.js';

/** Gives the emulator the application's webhook addresses, as soon as the application listens. */
@Injectable()
export class WebhookTargets implements OnModuleInit {
  constructor(
    private readonly accounts: TestedAccounts,
    private readonly host: HttpAdapterHost,
    private readonly modules: ModuleRef,
  ) {}

  /** @throws PaymentsConfigError if no account is under test. */
  onModuleInit(): void {
    if (this.accounts.isEmpty) {
      throw new PaymentsConfigError(
        'PaymentsTestingModule.forApplication() found no account in the application: import the module that has ' +
          'PaymentsModule.forRoot or forRootAsync beside it, or write PaymentsTestingModule.forRoot().',
      );
    }
    this.host.listen$.subscribe(() => {
      const origin = originOf(this.host.httpAdapter.getHttpServer() as Server);
      if (origin !== undefined) this.deliverTo(origin);
    });
  }

  private deliverTo(origin: string): void {
    const accounts = this.accounts.names();
    for (const account of accounts) {
      const path = this.pathOf(account);
      if (path === undefined) continue;
      // With one account, a later `sandbox.deliverTo(…)` of the test counts. With several, their events must
      // not mix.
      const sender = accounts.length === 1 ? this.accounts.sandbox : this.accounts.merchantOf(account);
      sender.deliverTo(`${origin}${path}`);
    }
  }

  /** Returns undefined for a route with a parameter, which the test must fill in. */
  private pathOf(account: string): string | undefined {
    const routes = this.modules
      .get(WebhookPaths, { strict: false })
      .all()
      .filter((route) => route.account === account && !route.path.includes(':'));
    return (routes.find(({ dispatches }) => dispatches) ?? routes[0])?.path;
  }
}

/** Undefined if this machine does not reach it by a loopback address. */
function originOf(server: Server): string | undefined {
  const address = server.address();
  if (typeof address !== 'object' || !address) return undefined;
  const host = reachable(address.address);
  if (!isLoopbackHost(host)) return undefined;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${address.port}`;
}
