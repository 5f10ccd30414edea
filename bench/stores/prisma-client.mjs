// What `prisma generate` writes for a schema without models: the bench sends SQL alone, and its install needs no generator.
import { getPrismaClient } from '@prisma/client/runtime/client';

/** @param provider `postgresql` or `mysql`. */
export function prismaClient(provider) {
  const compiler = `@prisma/client/runtime/query_compiler_fast_bg.${provider}`;
  return getPrismaClient({
    previewFeatures: [],
    clientVersion: '7',
    engineVersion: '7',
    activeProvider: provider,
    inlineSchema: `datasource db {\n  provider = "${provider}"\n}\n`,
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    // Three numbers of nodes: 0, 0 and 0.
    parameterizationSchema: { strings: [], graph: 'AAAA' },
    compilerWasm: {
      getRuntime: () => import(`${compiler}.mjs`),
      getQueryCompilerWasmModule: async () => {
        const { wasm } = await import(`${compiler}.wasm-base64.mjs`);
        return new globalThis.WebAssembly.Module(Buffer.from(wasm, 'base64'));
      },
      importName: './query_compiler_fast_bg.js',
    },
  });
}
