import { expect, it } from 'vitest';
import { LogLines } from '../../../lib/cli/log-lines.js';
import { type Terminal } from '../../../lib/cli/terminal.js';

it('says once what is said again and again, and again after something else', () => {
  const said: string[] = [];
  const say = (line: string): void => {
    said.push(line);
  };
  const paint: Terminal['paint'] = (_style, text) => text;
  const log = new LogLines({ say, paint, data: say, paintData: paint });
  for (const line of ['a chunk waits', 'a chunk waits', 'it pauses', 'a chunk waits']) log.warn(line);
  expect(said).toEqual(['a chunk waits', 'it pauses', 'a chunk waits']);
});
