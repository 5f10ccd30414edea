import { type AbstractHttpAdapter, type HttpAdapterHost, type ModulesContainer } from '@nestjs/core';
import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';

/** What an application listens with. A hybrid application has an HTTP server. */
export type Server = 'http' | 'microservice' | 'none';

export function serverOf(
  host: HttpAdapterHost,
  // The first versions of Nest 11 have no registry.
  modules: Partial<Pick<ModulesContainer, 'getRpcTargetRegistry'>>,
): Server {
  if (host.httpAdapter as AbstractHttpAdapter | undefined | null) return 'http';
  let server: Server = 'none';
  // Replays what `NestFactory.createMicroservice` has registered.
  modules
    .getRpcTargetRegistry?.()
    .subscribe(() => {
      server = 'microservice';
    })
    .unsubscribe();
  return server;
}

/**
 * The warning about an account whose webhooks no route receives. Undefined without a server, because scripts and workers
 * often share the modules of the application that has the route.
 *
 * @param hasResolver Whether the name is that of a registration whose accounts come from a resolver.
 */
export function missingRoute(account: string, server: Server, hasResolver: boolean): string | undefined {
  if (server === 'none') return undefined;
  const who = hasResolver ? `The registration '${account}'` : `The account '${account}'`;
  const route = hasResolver ? "'payments/:account'" : argumentsOf(account);
  const problem =
    server === 'http'
      ? `${who} has a \`webhooks\` option, but no route receives its webhooks, so the gateway gets 404: add a ` +
        `controller with @PaymentsWebhook(${route}) to the \`controllers\` of a module that the application imports.`
      : `${who} has a \`webhooks\` option, but a microservice has no HTTP server, so the gateway reaches no route ` +
        'of it: write NestFactory.create(AppModule) and app.connectMicroservice(…) in place of NestFactory.createMicroservice(…).';
  return `${problem} If another process receives them, or your code calls PaymentsInbox.receive() or verifyWebhook(), write webhooks: { expectRoute: false }.`;
}

function argumentsOf(account: string): string {
  return account === DEFAULT_ACCOUNT ? "'payments'" : `'payments', { account: '${account}' }`;
}
