import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkCell, checkOnNode, prepareApplication } from './application.mjs';
import { install } from './install.mjs';
import { checkOptionalPeers } from './optional-peers.mjs';
import { assemble } from './source.mjs';
import { table } from './table.mjs';

const ADAPTER_NAMES = { express: 'Express', fastify: 'Fastify' };

/** Every chosen application on every Node, with all adapters at once, one install an application; prints the result of each. */
export async function checkMatrix(report, { applications, adapters, nodes, here, tarball, work }) {
  const cells = [];
  const places = { here, tarball, work };
  let ahead;
  for (const [index, application] of applications.entries()) {
    const { cwd, installed } = ahead ?? begin(application, places);
    const ready = await report.steps(application.name, (step) =>
      prepareApplication(step, { cwd, installed }),
    );
    const next = applications[index + 1];
    ahead = next && begin(next, places);
    for (const node of nodes) {
      if (ready)
        await report.steps(`${application.name}, Node ${node.version}`, (step) =>
          checkOnNode(step, { cwd, env: node.env }),
        );
      const beside = adapters.map((adapter) => checkOne(report, { application, node, adapter, cwd, ready }));
      cells.push(...(await Promise.all(beside)));
    }
    const { optionalPeers } = application;
    if (ready && optionalPeers) {
      await report.steps(`${application.name}, optional peers`, (step) =>
        checkOptionalPeers(step, { cwd, optionalPeers }),
      );
    }
    rmSync(cwd, { recursive: true, force: true });
  }
  if (cells.length > 0)
    console.log(
      `\n${table(
        nodes.map(({ version }) => version),
        cells,
      )}\n`,
    );
}

/** Puts an application together and installs the tarball into it, while the one before it is tested. */
function begin(application, { here, tarball, work }) {
  const cwd = join(work, application.name);
  assemble(here, application, cwd);
  const installed = install(cwd, tarball);
  // Told by the step that waits for it.
  installed.catch(() => {});
  return { cwd, installed };
}

async function checkOne(report, { application, node, adapter, cwd, ready }) {
  const { nest, format, tests, impossible } = application;
  const title = `Nest ${nest}, ${format}, ${ADAPTER_NAMES[adapter]}`;
  const found = impossible?.nodes.includes(node.major) ? impossible : undefined;
  const env = { ...node.env, HTTP_ADAPTER: adapter };
  const passed =
    ready &&
    (await report.steps(`${title}, Node ${node.version}`, (step) =>
      checkCell(step, { cwd, env, tests, impossible: found }),
    ));
  const result = passed ? 'passed' : ready ? 'FAILED' : 'not run';
  return { title, node: node.version, result, note: found?.because };
}
