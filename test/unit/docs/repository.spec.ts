import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import {
  readManifest,
  releaseProblems,
  repositoryFields,
  repositoryOf,
  sourcesOf,
} from '../../../scripts/repository.mjs';

const fields = repositoryFields('acme/payments');

describe('package.json', () => {
  it('names its repository, and homepage and bugs follow from it', () => {
    const manifest = readManifest();
    expect(manifest).toMatchObject(repositoryFields(repositoryOf(manifest) ?? 'missing'));
  });
});

describe('repositoryFields', () => {
  it('are the same for the name with which git clones', () => {
    expect(repositoryFields('acme/payments.git')).toEqual(fields);
  });
});

describe('sourcesOf', () => {
  it("leads to the version's tag, as release-please names it", () => {
    expect(sourcesOf({ ...fields, version: '1.2.3' })).toBe('https://github.com/acme/payments/blob/v1.2.3/');
    const config = readFileSync('.github/release-please.json', 'utf8');
    expect(JSON.parse(config)).toMatchObject({ packages: { '.': { 'include-component-in-tag': false } } });
    expect(config).not.toContain('include-v-in-tag');
  });
});

describe('releaseProblems', () => {
  it('has nothing against a repository that is filled in', () => {
    expect(releaseProblems(fields)).toEqual([]);
    expect(releaseProblems(fields, 'acme/payments')).toEqual([]);
  });

  it.each([
    ['a missing repository', {}, undefined, /must be git\+https:\/\/github\.com\/<owner>\/<name>\.git/],
    ['the placeholder', repositoryFields('OWNER/nestjs-payments'), undefined, /still names the owner OWNER/],
    [
      'a homepage of another repository',
      { ...fields, homepage: 'https://github.com/other/payments#readme' },
      undefined,
      /^homepage of package\.json does not follow/,
    ],
    [
      'bugs of another repository',
      { ...fields, bugs: { url: 'https://example.com' } },
      undefined,
      /^bugs of/,
    ],
    ['another repository that publishes', fields, 'fork/payments', /but fork\/payments publishes it/],
  ])('refuses %s and says what to run', (_, manifest, builtFrom, problem) => {
    const problems = releaseProblems(manifest, builtFrom);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems[0]).toContain('npm run repository -- <owner>/<name>');
  });
});
