import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { NextCall } from '../../../lib/sandbox/faults/next-call.js';
import { SANDBOX_OPERATIONS, type SandboxOperation } from '../../../lib/sandbox/core/operation-name.js';
import { operationsThatMake } from '../../../lib/sandbox/core/operations.js';
import { SCENARIOS } from '../../../lib/sandbox/scenarios/scenario-table.js';

const page = readFileSync('docs/sandbox.md', 'utf8');

/** The cells of the table that follows a heading. */
function tableAfter(heading: string): readonly (readonly string[])[] {
  const section = page.slice(page.indexOf(`\n${heading}\n`)).split('\n## ')[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function nameOf(operations: readonly SandboxOperation[]): string {
  const groups = {
    'every operation': SANDBOX_OPERATIONS,
    'every collection': operationsThatMake('collection'),
    'every payout': operationsThatMake('payout'),
    'every operation that moves no money': operationsThatMake(undefined),
  };
  for (const [name, group] of Object.entries(groups)) {
    if (operations.length === group.length && group.every((member) => operations.includes(member)))
      return name;
  }
  return operations.map((operation) => `\`${operation}\``).join(', ');
}

describe('docs/sandbox.md', () => {
  it.each([
    ['the global expect of Jest', 'test/consumers/nest11-commonjs/test/matchers.d.ts'],
    ['@jest/globals', 'sample/05-testing/test/support/matchers.ts'],
    ['Vitest', 'test/consumers/nest12-esm/test/matchers.d.ts'],
  ])('declares the matchers for %s as a project does that is compiled', (_, file) => {
    const [declared] =
      /^declare [^]*?^}$/m.exec(readFileSync(file, 'utf8').replace(/^ *\/\/.*\n/gm, '')) ?? [];
    expect(declared).toContain('SandboxMatchers');
    expect(page).toContain(`\`\`\`ts\n${declared}\n\`\`\`\n`);
  });

  it('has every magic number with its operations and its description', () => {
    const rows = SCENARIOS.map(({ ending, operations, description }) => [
      `\`${ending}\``,
      nameOf(operations),
      description,
    ]);
    expect(tableAfter('## Magic numbers')).toEqual(rows);
  });

  it('has every fault', () => {
    const documented = tableAfter('## Faults').map(([fault = '']) => /`(\w+)\(/.exec(fault)?.[1]);
    const faults = Object.getOwnPropertyNames(NextCall.prototype).filter(
      (name) => !['constructor', 'plan', 'times'].includes(name),
    );
    expect(documented.sort()).toEqual(faults.sort());
  });
});
