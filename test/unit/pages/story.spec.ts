import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

interface StoryPage {
  readonly entryTexts: (entry: object, now: Date) => readonly string[];
}

beforeEach(() => vi.stubGlobal('navigator', { language: 'en' }));
afterEach(() => vi.unstubAllGlobals());

it.each([200, 201, 204])('a timeline shows the status of a try that counted: %s', async (status) => {
  const { entryTexts } = (await import(pathToFileURL('lib/sandbox/page/story.js').href)) as StoryPage;
  const url = 'http://127.0.0.1:3000/hook';
  const facts = { event: 'payment.success', number: 1, forged: false, url, status };
  const entry = { what: 'delivery', facts: { ...facts, problem: null, next_attempt_at: null } };
  expect(entryTexts(entry, new Date(0))[1]).toMatch(new RegExp(` · ${url} · ${status}$`));
});
