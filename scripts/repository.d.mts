/** The fields of package.json that say where the sources are. */
export interface RepositoryFields {
  readonly homepage: string;
  readonly bugs: { readonly url: string };
  readonly repository: { readonly type: string; readonly url: string };
}

export type Manifest = Partial<RepositoryFields> & {
  readonly version?: string;
  readonly files?: readonly string[];
};

export declare function readManifest(): Manifest;
export declare function repositoryFields(repository: string): RepositoryFields;
export declare function repositoryOf(manifest: Manifest): string | undefined;
export declare function sourcesOf(manifest: Manifest): string;
export declare function releaseProblems(manifest: Manifest, builtFrom?: string): readonly string[];
