import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A property of an options interface, or of a section in it. */
export interface DocumentedOption {
  readonly path: readonly string[];
  /** Its TSDoc without tags, lines joined. */
  readonly text: string;
  /** What `@default` says. */
  readonly byDefault: string | undefined;
  readonly isOptional: boolean;
}

/** The options of an interface and of the sections that it is made of, in their order. */
export function documentedOptions(
  files: readonly string[],
  interfaceName: string,
): readonly DocumentedOption[] {
  const interfaces = new Map(files.flatMap(interfacesOf).map((declared) => [declared.name.text, declared]));

  const ofMembers = (
    members: readonly ts.TypeElement[],
    path: readonly string[],
  ): readonly DocumentedOption[] =>
    members.flatMap((member) => {
      if (!ts.isPropertySignature(member) && !ts.isMethodSignature(member)) return [];
      const here = [...path, member.name.getText()];
      const type = ts.isPropertySignature(member) ? member.type : undefined;
      const item = itemOf(type);
      const inside = item ? [...path, `${member.name.getText()}[]`] : here;
      return [
        { path: here, ...docOf(member), isOptional: member.questionToken !== undefined },
        ...sectionsOf(item ?? type).flatMap((inner) => ofMembers(inner, inside)),
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

/** The type of the items of a `readonly …[]`. */
function itemOf(type: ts.TypeNode | undefined): ts.TypeNode | undefined {
  const list = type && ts.isTypeOperatorNode(type) ? type.type : undefined;
  return list && ts.isArrayTypeNode(list) ? list.elementType : undefined;
}

function interfacesOf(file: string): readonly ts.InterfaceDeclaration[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isInterfaceDeclaration);
}

function docOf(member: ts.TypeElement): Pick<DocumentedOption, 'text' | 'byDefault'> {
  const docs = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  const text = docs.map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '').join('\n');
  const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === 'default');
  return { text, byDefault: ts.getTextOfJSDocComment(tag?.comment) };
}
