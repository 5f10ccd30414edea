import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The compiler of TypeScript 7: a fifth of the processor's time of version 6, whose API the linter needs. */
const COMPILER = join(process.cwd(), 'node_modules', 'typescript-native', 'bin', 'tsc');

/** What this project asks of its own code only. */
const A_USER_MAY = {
  noUnusedLocals: false,
  noUnusedParameters: false,
  noPropertyAccessFromIndexSignature: false,
};

/** What the compiler says of a project, a line for each problem. */
export function projectProblems(tsconfig: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [COMPILER, '--noEmit', '--pretty', 'false', '-p', tsconfig],
      { maxBuffer: 16 * 1_024 * 1_024 },
      (error, stdout, stderr) => {
        const lines = stdout.split('\n').filter((line) => line !== '');
        // A compiler that did not run says nothing, too.
        if (error && lines.length === 0)
          reject(new Error(`The compiler failed: ${stderr}`, { cause: error }));
        else resolve(lines);
      },
    );
  });
}

/**
 * What the compiler says about files that exist nowhere else.
 *
 * @param files The code by a path from the project's folder, which their imports start from.
 * @returns Lines such as `path(1,2): error TS2304: …`.
 */
export async function compilerProblems(files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const root = process.cwd();
  const caches = join(root, 'node_modules', '.cache');
  mkdirSync(caches, { recursive: true });
  const folder = mkdtempSync(join(caches, 'nestjs-payments-examples-'));
  try {
    for (const [path, code] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), code);
    }
    const tsconfig = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { ...A_USER_MAY, rootDirs: [root, folder] },
      include: [],
      // The ORMs are installed only where their specs run.
      files: [
        join(root, 'test', 'orms', 'orms.d.ts'),
        join(root, 'test', 'hosts', 'graphql.d.ts'),
        ...files.keys(),
      ],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    const problems = await projectProblems(join(folder, 'tsconfig.json'));
    const prefix = `${relative(root, folder)}/`;
    return problems.map((problem) => problem.replaceAll('\\', '/').replace(prefix.replaceAll('\\', '/'), ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
