import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { curlCommand } from '../../../../lib/cli/webhooks/curl.js';

const URL_TO = new URL('http://127.0.0.1:3000/hook');

it('a shell reads exactly the words that curl has to get, whatever the body holds', () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
  fc.assert(
    fc.property(text, (body) => {
      const command = curlCommand(URL_TO, { 'x-a': "o'b $(id)" }, { text: body });
      // printf ends each word with a NUL, which no word can hold.
      const words = execFileSync('sh', ['-c', command.replace(/^curl/, String.raw`printf '%s\0'`)], {
        encoding: 'utf8',
      });
      expect(words.split('\0').slice(0, -1)).toEqual([
        URL_TO.href,
        '-H',
        "x-a: o'b $(id)",
        '--data-raw',
        body,
      ]);
    }),
    { numRuns: 30 },
  );
});

it('a file is named, not copied', () => {
  expect(curlCommand(URL_TO, {}, { file: "it's.json" })).toContain(String.raw`--data-binary '@it'\''s.json'`);
});
