import { controlDocument } from '../../openapi/control.generated.js';
import { ControlProblem } from '../control-problem.js';
import { SCENARIOS } from '../../scenarios/scenario-table.js';
import { sandboxClockState, sandboxHappened } from '../record-mappers.js';
import { type SandboxScenario } from '../resources.js';
import { requestListing } from '../listings.js';
import { listed } from '../lists.js';
import { type ControlCall } from '../control-operations.js';
import { optionalDuration, optionalFlag, optionalText } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

/** The emulator itself: information, clock, requests, reset. */
export function systemHandlers({ clock, journal, reset, view }: SandboxParts) {
  return {
    readHealth: () => ({ status: 'ok' }),
    readInfo: () => view.info(),
    readDocument: () => JSON.parse(controlDocument) as unknown,
    listScenarios: (): { readonly items: readonly SandboxScenario[] } => ({
      items: SCENARIOS.map(({ ending, operations, description }) => ({ ending, operations, description })),
    }),
    reset: async ({ body }: ControlCall) => {
      await reset(optionalText(body, 'merchant'));
      return view.info();
    },
    readClock: () => sandboxClockState(clock),
    advanceClock: async ({ body }: ControlCall) => {
      const happened = await clock.advanceAndTell(optionalDuration(body, 'by') ?? 0);
      return { ...sandboxClockState(clock), happened: sandboxHappened(happened) };
    },
    freezeClock: ({ body }: ControlCall) => {
      if (optionalFlag(body, 'frozen')) clock.freeze();
      else if (clock.kind === 'manual') {
        const message =
          'A manual clock never runs: start the sandbox with the clock "real", or advance this one.';
        throw new ControlProblem(409, 'MANUAL_CLOCK', message);
      } else clock.unfreeze();
      return sandboxClockState(clock);
    },
    listRequests: ({ query }: ControlCall) => listed(requestListing(journal.list()), query),
    readRequest: ({ subject }: ControlCall) => {
      const request = journal.get(subject);
      if (request) return request;
      const message = `There is no request ${subject}, or it was dropped: GET /requests lists them.`;
      throw new ControlProblem(404, 'NOT_FOUND', message);
    },
  };
}
