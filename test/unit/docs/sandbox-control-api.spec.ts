import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlDocument } from '../../support/control-contract.js';

const page = readFileSync('docs/sandbox-control-api.md', 'utf8');
const control = 'lib/sandbox/control';

describe('docs/sandbox-control-api.md', () => {
  it('has every call with its summary', () => {
    const calls = Object.entries(controlDocument.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { summary }]) => `\`${method.toUpperCase()} ${path}\` ${summary}`,
      ),
    );
    const rows = page
      .split('\n')
      .filter((line) => /^\| `(?:GET|POST|PUT|PATCH|DELETE) /.test(line))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim())
          .join(' '),
      );
    expect(rows).toEqual(calls);
  });

  it('has every code that the sources throw', () => {
    const sources = readdirSync(control, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(control, file), 'utf8'))
      .join('\n');
    const codes = [...sources.matchAll(/ControlProblem\(\s*\d+,\s*'([A-Z_]+)'/g)].map(([, code]) => code!);
    expect(codes.length).toBeGreaterThan(8);
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });
});
