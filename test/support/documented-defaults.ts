import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';

/** An option whose documentation names a value that stands for leaving it out. */
export interface DocumentedDefault {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The `@default`s of an interface and of the sections that it is made of, where they are values and not words. */
export function documentedDefaults(
  files: readonly string[],
  interfaceName: string,
): readonly DocumentedDefault[] {
  const interfaces = new Map(files.flatMap(interfacesOf).map((declared) => [declared.name.text, declared]));

  const ofMembers = (
    members: readonly ts.TypeElement[],
    path: readonly string[],
  ): readonly DocumentedDefault[] =>
    members.filter(ts.isPropertySignature).flatMap((member) => {
      const here = [...path, member.name.getText()];
      return [
        ...valueOf(member, here),
        ...sectionsOf(member.type).flatMap((inner) => ofMembers(inner, here)),
      ];
    });

  const sectionsOf = (type: ts.TypeNode | undefined): readonly (readonly ts.TypeElement[])[] => {
    if (type === undefined) return [];
    if (ts.isUnionTypeNode(type)) return type.types.flatMap(sectionsOf);
    if (ts.isTypeLiteralNode(type)) return [[...type.members]];
    const section = ts.isTypeReferenceNode(type) ? interfaces.get(type.typeName.getText()) : undefined;
    return section ? [[...section.members]] : [];
  };

  return ofMembers([...(interfaces.get(interfaceName)?.members ?? [])], []);
}

function interfacesOf(file: string): readonly ts.InterfaceDeclaration[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isInterfaceDeclaration);
}

function valueOf(member: ts.PropertySignature, path: readonly string[]): readonly DocumentedDefault[] {
  const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === 'default');
  const text = ts.getTextOfJSDocComment(tag?.comment);
  if (text === undefined) return [];
  try {
    return [{ path, value: runInNewContext(`(${text})`) as unknown }];
  } catch {
    return []; // it is said in words
  }
}
