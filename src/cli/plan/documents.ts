import { type Document, isMap, isNode, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { UserError } from '../user-error.ts';
import type { SourceFile } from './files.ts';

/** Where something stands in a file; the line counts from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

type Path = readonly PropertyKey[];

/** One object that a document, or an item of a List, holds. */
export interface Written {
  readonly value: unknown;
  /** Where the deepest part of this path begins that is there. */
  placeOf(path: Path): Place;
}

/**
 * Every object in the files. Throws UserError with the place of the first thing that is no YAML.
 */
export function readDocuments(files: readonly SourceFile[]): readonly Written[] {
  return files.flatMap(documentsOf);
}

function documentsOf({ path, text }: SourceFile): readonly Written[] {
  const lineCounter = new LineCounter();
  // As kubectl reads it: `yes` is true.
  const documents = parseAllDocuments(text, { version: '1.1', lineCounter, prettyErrors: false });
  const at = (offset: number): Place => ({ file: path, line: lineCounter.linePos(offset).line });
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error) {
      const { line } = at(error.pos[0]);
      throw new UserError(
        `${path}:${line}: this is not valid YAML: ${error.message}; mend the file`,
      );
    }
    const value = plain(document, at(document.range[0]));
    return value === null ? [] : itemsOf(document, [], value, at);
  });
}

/** An alias may stand for what is far larger than the file, or for what it is in itself. */
function plain(document: Document.Parsed, { file, line }: Place): unknown {
  try {
    // As kubectl sends it: what JSON cannot say is not there.
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 })) ?? 'null');
  } catch (error) {
    throw new UserError(
      `${file}:${line}: the aliases of this document cannot be followed: ${(error as Error).message}; write the values out`,
    );
  }
}

/** What is no list, and the items of what is one, as `kubectl get -o yaml` prints them. */
function itemsOf(
  document: Document.Parsed,
  within: Path,
  value: unknown,
  at: (offset: number) => Place,
): readonly Written[] {
  const { kind, items } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items))
    return items.flatMap((item, index) => itemsOf(document, [...within, 'items', index], item, at));
  const start = document.contents?.range[0] ?? document.range[0];
  const placeOf = (path: Path): Place => {
    // What is missing stands where its nearest parent does.
    for (let whole = [...within, ...path]; whole.length > 0; whole = whole.slice(0, -1)) {
      const offset = offsetOf(document, whole);
      if (offset !== undefined) return at(offset);
    }
    return at(start);
  };
  return [{ value, placeOf }];
}

/** Of the key where it is a field, of the value where it is an entry of a list. */
function offsetOf(document: Document.Parsed, path: Path): number | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const step = path.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isNode(key) && String(key) === String(step));
    return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  }
  const item = isSeq(parent) && typeof step === 'number' ? parent.items[step] : undefined;
  return isNode(item) ? item.range?.[0] : undefined;
}
