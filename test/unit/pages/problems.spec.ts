import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { deliveryTarget } from '../../../lib/sandbox/webhooks/endpoint-registry.js';
import { milliseconds, type Duration } from '../../../lib/sandbox/clock/duration.js';

type Translate = (code: string, message: string) => string | undefined;

/** Each `x-rule` of the control API's document. */
function rulesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'x-rule' ? [String(inner)] : rulesIn(inner),
  );
}

describe('what the control API refuses, on the Swahili page', () => {
  let inSwahili: Translate;

  beforeAll(async () => {
    const file = join(process.cwd(), 'lib/sandbox/page/problems-swahili.js');
    ({ problemInSwahili: inSwahili } = (await import(pathToFileURL(file).href)) as {
      problemInSwahili: Translate;
    });
  });

  it('has Swahili words for every rule of a field, given or missing', () => {
    const rules = rulesIn(parse(readFileSync('lib/sandbox/openapi/control.yaml', 'utf8')));
    expect(rules.length).toBeGreaterThan(20);
    for (const rule of rules) {
      expect([rule, inSwahili('INVALID_BODY', `\`field\` ${rule}`)]).toEqual([
        rule,
        expect.stringMatching(/^`field` iwe /),
      ]);
      expect(inSwahili('INVALID_BODY', `\`field\` is missing: it ${rule}`)).toMatch(/^`field` haipo: iwe /);
    }
  });

  it('has Swahili words for a wrong webhook address and a wrong duration', () => {
    const messageOf = (call: () => unknown): string => {
      try {
        call();
      } catch (error) {
        return (error as Error).message;
      }
      throw new Error('Nothing was refused.');
    };
    const messages = [
      ...['ftp:example', 'http://a:b@127.0.0.1/', 'http://example.com/'].map((address) =>
        messageOf(() => deliveryTarget(address, false)),
      ),
      messageOf(() => milliseconds('tomorrow' as Duration)),
    ];
    const words = messages.map((message) => inSwahili('INVALID_BODY', message));
    expect(new Set(words).size).toBe(4);
    expect(words).not.toContain(undefined);
  });

  it('has Swahili words for what has ended or is gone, and none for what it does not know', () => {
    for (const code of ['SANDBOX_ALREADY_FINAL', 'SANDBOX_NOT_FOUND', 'NOT_FOUND', 'NO_ENDPOINT'])
      expect([code, inSwahili(code, 'English')]).toEqual([code, expect.any(String)]);
    expect(inSwahili('NEW_CODE', 'English')).toBeUndefined();
    expect(inSwahili('INVALID_BODY', '`field` is of another planet')).toBeUndefined();
    expect(inSwahili('INVALID_BODY', 'Something else.')).toBeUndefined();
  });
});
