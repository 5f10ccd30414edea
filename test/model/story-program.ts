// Plays random stories in a process of its own: on the library as it is, or with a fault planted into it.
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { Violation } from './checker.js';
import { type Kind } from './coverage.js';
import { Model } from './model.js';
import { plans } from './random-plans.js';
import { BY_ITSELF } from './result-problem.js';
import { inMemory } from './storages.js';

/** The result of the stories, as one line of JSON. */
export interface Played {
  /** How many were played: to the first that found something. */
  readonly stories: number;
  readonly problem?: string | undefined;
  /** The checker reported it, and not a call that only broke. */
  readonly isViolation: boolean;
  /** The kinds that none reached. */
  readonly missing: readonly Kind[];
  readonly cpuMs: number;
}

const [numRuns, seed] = process.argv.slice(2).map(Number);
Logger.overrideLogger(false);
const model = await Model.open(inMemory());
const details = await fc.check(
  fc.asyncProperty(plans, (plan) => model.play(plan)),
  { numRuns: numRuns ?? 1, ...(seed !== undefined && { seed }), endOnFailure: true },
);
const thrown = details.errorInstance;
const [problem] = details.failed ? String(thrown).split('\n') : [];
const { user, system } = process.cpuUsage();
const played: Played = {
  stories: details.numRuns,
  problem,
  isViolation: thrown instanceof Violation && !thrown.problem.endsWith(BY_ITSELF),
  missing: model.coverage.missing(),
  cpuMs: (user + system) / 1_000,
};
process.stdout.write(`${JSON.stringify(played)}\n`);
process.exit();
