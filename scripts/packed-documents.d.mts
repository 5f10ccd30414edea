export declare function isPacked(path: string, files: readonly string[]): boolean;
export declare function packedPage(
  markdown: string,
  page: string,
  place: { readonly files: readonly string[]; readonly sources: string },
): string;
