import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandHelp, programHelp } from '../../../lib/cli/help.js';
import { COMMANDS } from '../../../lib/cli/run-cli.js';
import { SIGNING_OPTIONS } from '../../../lib/cli/webhooks/signing-options.js';

const page = readFileSync('docs/cli.md', 'utf8');
const sections = new Map(
  page.split(/^## /m).map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
);
const signing = sections.get('How webhooks are signed') ?? '';
const optionsIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/`[^`\n]*`/g)].flatMap(([code]) =>
      [...code.matchAll(/--([a-z-]+)/g)].map(([, name]) => name!),
    ),
  );

describe('docs/cli.md', () => {
  it('has a section for every command, and a line in its table', () => {
    expect(COMMANDS.length).toBe(13);
    for (const { name } of COMMANDS) {
      expect([...sections.keys()]).toContain(name);
      expect(page).toContain(`| [\`${name}\`](#${name.replace(' ', '-')}) `);
    }
  });

  it.each(COMMANDS)('names every option of $name in its section', ({ name, options }) => {
    const named = optionsIn(`${sections.get(name) ?? ''}${'scheme' in options ? signing : ''}`);
    expect(Object.keys(options).filter((option) => !named.has(option))).toEqual([]);
  });

  it('names no option that does not exist', () => {
    const all = new Set(['help', ...COMMANDS.flatMap(({ options }) => Object.keys(options))]);
    expect([...optionsIn(page)].filter((option) => !all.has(option))).toEqual([]);
    const own = new Set(Object.keys(SIGNING_OPTIONS));
    expect([...optionsIn(signing)].filter((option) => !own.has(option))).toEqual([]);
  });
});

describe('--help', () => {
  it.each(COMMANDS)('of $name names every option, and examples that begin with it', (command) => {
    const help = commandHelp(command);
    for (const option of Object.keys(command.options)) expect(help).toMatch(new RegExp(` --${option}( |\n)`));
    expect(command.examples.length).toBeGreaterThan(0);
    expect(command.examples.filter((example) => !example.startsWith(command.name))).toEqual([]);
  });

  it('lists every command', () => {
    for (const { name, summary } of COMMANDS)
      expect(programHelp(COMMANDS)).toMatch(new RegExp(`  ${name} +${summary}`));
  });
});
