import { describe, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly 'runs-on'?: string;
  /** Another workflow, whose jobs this one is. */
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly with?: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly name: string;
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface FormField {
  readonly type: string;
  readonly id?: string;
  readonly attributes: {
    readonly label?: string;
    readonly value?: string;
    readonly options?: readonly unknown[];
  };
  readonly validations?: { readonly required?: boolean };
}

interface IssueForm {
  readonly name: string;
  readonly description: string;
  readonly body: readonly FormField[];
}

const WORKFLOWS = '.github/workflows';
const FORMS = '.github/ISSUE_TEMPLATE';
const FIELD_TYPES = ['markdown', 'input', 'textarea', 'dropdown', 'checkboxes'];

const workflow = (file: string): Workflow =>
  parse(readFileSync(join(WORKFLOWS, file), 'utf8'), { strict: true }) as Workflow;
const form = (file: string): IssueForm =>
  parse(readFileSync(join(FORMS, file), 'utf8'), { strict: true }) as IssueForm;
const stepsOf = ({ jobs }: Workflow): readonly Step[] =>
  Object.values(jobs).flatMap(({ steps }) => steps ?? []);
const commandsOf = (job: Job | undefined): string =>
  job?.steps?.flatMap(({ run }) => run ?? []).join('\n') ?? '';
const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

describe('the workflows', () => {
  const files = readdirSync(WORKFLOWS);

  it('are those of CI, of a release and of the documentation site', () => {
    expect(files.sort()).toEqual(['ci.yml', 'release.yml', 'site.yml']);
  });

  it.each(files)('%s gives every job a runner, permissions and steps', (file) => {
    const { name, on, permissions, jobs } = workflow(file);
    expect(name).toEqual(expect.any(String));
    expect(Object.keys(on)).not.toEqual([]);
    // Without this line the token may do whatever the repository allows.
    expect(permissions).toEqual(expect.any(Object));
    expect(Object.keys(jobs)).not.toEqual([]);
    for (const job of Object.values(jobs).filter(({ uses }) => uses === undefined)) {
      expect(job['runs-on']).toEqual(expect.any(String));
      expect(job.steps?.filter(({ uses, run }) => (uses === undefined) === (run === undefined))).toEqual([]);
    }
  });

  it.each(files)('%s names the major version of each action', (file) => {
    const actions = stepsOf(workflow(file)).flatMap(({ uses }) => uses ?? []);
    expect(actions).not.toEqual([]);
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@v\d+$/.test(action))).toEqual([]);
  });

  it('run .ci/run for every pull request and every push to main', () => {
    const ci = workflow('ci.yml');
    expect(ci.on).toMatchObject({ push: { branches: ['main'] } });
    expect(ci.on).toHaveProperty('pull_request');
    expect(stepsOf(ci).map(({ run }) => run)).toContain('bash .ci/run');
    expect(existsSync('.ci/run')).toBe(true);
  });

  it('publish with provenance, and only what a merged release pull request has tagged', () => {
    const { pack, publish } = workflow('release.yml').jobs;
    expect(pack).toMatchObject({ needs: 'propose', if: "needs.propose.outputs.created == 'true'" });
    expect(commandsOf(pack)).toMatch(/^npm sbom [^]*^npm run release:pack$/m);
    expect(publish).toMatchObject({ needs: ['propose', 'pack'], environment: 'npm' });
    expect(publish?.permissions).toMatchObject({ 'id-token': 'write' });
    const commands = commandsOf(publish);
    expect(commands).toMatch(/^npm publish \.\/nestjs-payments-\*\.tgz --provenance/m);
    expect(commands).toContain('gh release upload ');
    expect(commands).not.toContain('npm pkg set');
  });

  it('run no code of the repository and of its dependencies where they may publish to npm', () => {
    const { pack, publish } = workflow('release.yml').jobs;
    expect(pack?.permissions).toEqual({ contents: 'read' });
    expect(publish?.steps?.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? [])).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
    ]);
    expect(commandsOf(publish)).not.toMatch(/^(?!npm publish |gh )/m);
    const artifact = ({ steps }: Job): unknown =>
      steps?.find(({ uses }) => uses?.includes('load-artifact@'))?.with?.['name'];
    expect([artifact(pack!), artifact(publish!)]).toEqual(['package', 'package']);
  });

  it('check what package.json says before there is a tag, and again before there is a tarball', () => {
    const steps = workflow('release.yml').jobs['propose']?.steps ?? [];
    const check = steps.findIndex(({ run }) => run === 'npm run release:check');
    const release = steps.findIndex(({ uses }) => uses?.includes('release-please'));
    expect(check).toBeGreaterThan(-1);
    expect(release).toBeGreaterThan(check);
    expect(steps.filter((step) => 'if' in step || 'continue-on-error' in step)).toEqual([]);
    expect(json('package.json')).toHaveProperty('scripts.release:pack', 'npm run release:check && npm pack');
  });

  it('publish the tarball only: npm publish refuses the folder', () => {
    const { status, stderr } = spawnSync('npm', ['run', 'prepublishOnly'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run release:pack')]);
  });

  it('publish the documentation site of the tag, after the package, with the address that Pages gives it', () => {
    const { site } = workflow('release.yml').jobs;
    expect(site).toMatchObject({
      needs: ['propose', 'publish'],
      uses: './.github/workflows/site.yml',
      with: { ref: '${{ needs.propose.outputs.tag }}' },
    });
    const called = workflow('site.yml');
    expect(called.on).toHaveProperty('workflow_call.inputs.ref.required', true);
    // A called workflow can do no more than its caller allows.
    expect(site?.permissions).toEqual(called.jobs['publish']?.permissions);
    const steps = stepsOf(called);
    const build = steps.find(({ run }) => run === 'npm run docs:site');
    expect(build?.env).toEqual({ SITE_URL: '${{ steps.pages.outputs.base_url }}/' });
    const upload = steps.find(({ uses }) => uses?.startsWith('actions/upload-pages-artifact@'));
    expect(upload?.with).toEqual({ path: 'site/dist' });
  });

  it('give release-please files that exist, and the version that package.json has', () => {
    const [step] = stepsOf(workflow('release.yml')).filter(({ uses }) => uses?.includes('release-please'));
    const { 'config-file': config, 'manifest-file': manifest } = step?.with as Record<string, string>;
    const { packages } = json(config!) as { packages: Record<string, Record<string, unknown>> };
    expect(Object.keys(packages)).toEqual(['.']);
    const released = (json(manifest!) as Record<string, string>)['.'];
    const { version } = json('package.json') as { version: string };
    expect(released ?? packages['.']?.['initial-version']).toBe(version);
  });
});

describe('the issue forms', () => {
  const files = readdirSync(FORMS).filter((file) => file !== 'config.yml');

  it('are for a bug, a feature and what the gateway does', () => {
    expect(files.sort()).toEqual(['bug.yml', 'feature.yml', 'gateway-behaviour.yml']);
    expect(parse(readFileSync(join(FORMS, 'config.yml'), 'utf8'))).toEqual({ blank_issues_enabled: false });
  });

  it.each(files)('%s has fields that GitHub knows, each with a label and an id of its own', (file) => {
    const { name, description, body } = form(file);
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    expect(body.filter(({ type }) => !FIELD_TYPES.includes(type))).toEqual([]);
    const questions = body.filter(({ type }) => type !== 'markdown');
    expect(questions.filter(({ attributes }) => attributes.label === undefined)).toEqual([]);
    const ids = questions.map(({ id }) => id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
    const choices = questions.filter(({ type }) => ['dropdown', 'checkboxes'].includes(type));
    expect(choices.filter(({ attributes }) => !(attributes.options ?? []).length)).toEqual([]);
  });

  it.each(files)(
    '%s asks first to leave out secrets and personal data, and at the end whether it is so',
    (file) => {
      const { body } = form(file);
      expect(body[0]?.attributes.value).toContain('Do not paste secrets or personal data');
      expect(body.at(-1)?.attributes.options).toEqual([
        { label: expect.stringMatching(/every secret and all personal data/) as string, required: true },
      ]);
    },
  );
});
