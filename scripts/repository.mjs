// Where the sources of the package are. package.json says it in `repository.url`, and everything else follows from it.
//   node scripts/repository.mjs acme/nestjs-payments   writes it into package.json
//   node scripts/repository.mjs --check                fails if package.json may not be published as it is
//   node scripts/repository.mjs --refuse-folder        fails always: `npm publish` without a tarball runs it
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url));
const PLACEHOLDER = 'OWNER';
const NAME = /^[\w.-]+\/[\w.-]+$/;
const FILL_IN = `Run \`npm run repository -- <owner>/<name>\``;

export function readManifest() {
  return JSON.parse(readFileSync(MANIFEST, 'utf8'));
}

/** The fields of package.json for the repository `owner/name` on GitHub, also if it is written `owner/name.git`. */
export function repositoryFields(repository) {
  const address = `https://github.com/${repository.replace(/\.git$/, '')}`;
  return {
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: 'git', url: `git+${address}.git` },
  };
}

/** `owner/name` by `repository.url`, or undefined if it is not on GitHub. */
export function repositoryOf({ repository }) {
  return /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git$/.exec(repository?.url ?? '')?.[1];
}

/** The address below which GitHub shows the files of this version, by the tag that release-please gives it. */
export function sourcesOf(manifest) {
  return `https://github.com/${repositoryOf(manifest)}/blob/v${manifest.version}/`;
}

/**
 * Why package.json may not be published as it is.
 *
 * @param builtFrom `owner/name` of the repository that publishes, where that is known: npm refuses the provenance of any
 *   other.
 */
export function releaseProblems(manifest, builtFrom) {
  const repository = repositoryOf(manifest);
  if (repository === undefined)
    return [`repository.url of package.json must be git+https://github.com/<owner>/<name>.git. ${FILL_IN}.`];
  const fields = repositoryFields(repository);
  const differing = Object.keys(fields).filter(
    (name) => JSON.stringify(manifest[name]) !== JSON.stringify(fields[name]),
  );
  return [
    ...(repository.startsWith(`${PLACEHOLDER}/`)
      ? [`package.json still names the owner ${PLACEHOLDER} in repository.url. ${FILL_IN}.`]
      : []),
    ...differing.map((name) => `${name} of package.json does not follow from repository.url. ${FILL_IN}.`),
    ...(builtFrom !== undefined && builtFrom !== repository
      ? [`package.json names ${repository}, but ${builtFrom} publishes it. ${FILL_IN}.`]
      : []),
  ];
}

function main([argument = '']) {
  if (argument === '--check') {
    const problems = releaseProblems(readManifest(), process.env.GITHUB_REPOSITORY);
    for (const problem of problems) console.error(`✖ ${problem}`);
    return problems.length === 0 ? 0 : 1;
  }
  if (argument === '--refuse-folder') {
    // npm would register the README as it stands in the folder, whose links are for GitHub.
    console.error(
      '✖ npm publishes the tarball of `npm run release:pack`: see "Releases" in CONTRIBUTING.md.',
    );
    return 1;
  }
  if (!NAME.test(argument)) {
    console.error(
      `Which repository? Write its owner and name, such as ${PLACEHOLDER.toLowerCase()}/nestjs-payments.`,
    );
    return 2;
  }
  writeFileSync(
    MANIFEST,
    `${JSON.stringify({ ...readManifest(), ...repositoryFields(argument) }, null, 2)}\n`,
  );
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
