import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { scenariosOf } from '../../../lib/sandbox/scenarios/scenario-table.js';

interface Scenarios {
  readonly scenariosInSwahili: Readonly<Record<string, string>>;
  readonly scenarioText: (scenario: { readonly description: string }, language: string) => string;
}

it('the page says in Swahili what each magic number of its test payment does, and of no other', async () => {
  const file = pathToFileURL(join(process.cwd(), 'lib/sandbox/page/scenarios-swahili.js')).href;
  const { scenariosInSwahili, scenarioText } = (await import(file)) as Scenarios;
  const scenarios = scenariosOf('POST /payments/mobile-money');
  expect(Object.keys(scenariosInSwahili)).toEqual(scenarios.map(({ description }) => description));
  for (const scenario of scenarios) {
    expect(scenarioText(scenario, 'en')).toBe(scenario.description);
    expect(scenarioText(scenario, 'sw')).not.toBe(scenario.description);
  }
});
