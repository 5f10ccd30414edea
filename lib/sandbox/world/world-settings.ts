import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { WORLD, schemeOf } from './world-form.js';
import { type WorldProblem } from './form.js';
import { type SandboxWorld } from './sandbox-world.js';
import { WorldError } from './world-error.js';

/** Everything of a world that is a start option too. */
export const SETTINGS = [
  'clock',
  'seed',
  'auto',
  'profile',
  'startingBalance',
  'fees',
  'expireAfter',
  'webhookSecret',
] as const satisfies readonly (keyof SandboxWorld)[];

type WorldSettings = Pick<SandboxWorld, (typeof SETTINGS)[number]> & {
  readonly webhookScheme?: WebhookScheme;
};

/** What is wrong with a world, as far as its form says. */
export function worldProblems(world: unknown): readonly WorldProblem[] {
  const problems: WorldProblem[] = [];
  WORLD.check(world, [], (problem) => problems.push(problem));
  return problems;
}

/**
 * The start options in a world.
 *
 * @throws WorldError if the world's form is wrong.
 */
export function settingsOf(world: SandboxWorld): WorldSettings {
  const problems = worldProblems(world);
  if (problems.length > 0) throw new WorldError(problems);
  const { webhookScheme } = world;
  return {
    ...(Object.fromEntries(SETTINGS.map((name) => [name, world[name]])) as WorldSettings),
    ...(webhookScheme && { webhookScheme: schemeOf(webhookScheme) }),
  };
}
