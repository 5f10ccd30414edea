import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Service {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: string };
}

const VARIABLES: Readonly<Record<string, string>> = {
  PAYMENTS_WEBHOOK_SECRET: 'a-webhook-secret-of-this-test',
  PAYMENTS_SANDBOX_TOKEN: 'a-token-of-this-test',
};
const NPX = 'npx --yes nestjs-payments ';

/** The YAML blocks of docs/containers.md, with its variables in them. */
export function containerFiles(): readonly unknown[] {
  const page = readFileSync('docs/containers.md', 'utf8');
  return [...page.matchAll(/```yaml\n([^]*?)```/g)].map(
    ([, yaml = '']) => parse(interpolated(yaml)) as unknown,
  );
}

/** The Compose file of docs/containers.md: its two services, and what the emulator's command line says. */
export function composeFile() {
  const [{ services }] = containerFiles() as [{ readonly services: Readonly<Record<string, Service>> }];
  const { gateway, application, ...more } = services;
  if (!gateway || !application || Object.keys(more).length > 0)
    throw new Error('The file has other services.');
  if (!gateway.command.startsWith(NPX)) throw new Error(`The command does not begin with ${NPX}`);
  return { gateway, application, args: gateway.command.slice(NPX.length).split(' ') };
}

/** As Compose does. */
function interpolated(yaml: string): string {
  return yaml.replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => VARIABLES[name] ?? '');
}
