import { Composer, type Document, isMap, isNode, isSeq, LineCounter, Parser } from 'yaml';
import { UserError } from '../user-error.ts';
import type { SourceFile } from './files.ts';
import { KUBECTL_YAML } from './kubectl-yaml.ts';

/** Where something stands in a file; lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One object that a document, or an item of a List, holds. */
export interface Written {
  readonly value: unknown;
  /** Where it begins. */
  readonly place: Place;
  /** Where the deepest part of this path begins that is there. */
  placeOf(path: readonly PropertyKey[]): Place;
}

/** More are hardly what somebody means to read a plan of. */
export const MOST_DOCUMENTS = 5_000;

/**
 * Every object in the files. Throws UserError with the place of the first thing that is no YAML,
 * and where there are too many.
 */
export function readDocuments(files: readonly SourceFile[]): readonly Written[] {
  const all: Written[] = [];
  for (const file of files)
    for (const one of documentsOf(file)) {
      all.push(one);
      if (all.length > MOST_DOCUMENTS)
        throw new UserError(
          `${one.place.file}:${one.place.line}: there are more than ${MOST_DOCUMENTS} documents up to here; plan fewer files at a time`,
        );
    }
  return all;
}

function* documentsOf({ path, text }: SourceFile): Generator<Written> {
  const lines = new LineCounter();
  const composer = new Composer({ ...KUBECTL_YAML, lineCounter: lines });
  const parser = new Parser(lines.addNewLine);
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file: path, line: Math.max(1, line), column: Math.max(1, col) };
  };
  for (const document of composer.compose(parser.parse(text))) {
    const [error] = document.errors;
    if (error) {
      const { line, column } = at(error.pos[0]);
      throw new UserError(
        `${path}:${line}:${column}: this is not valid YAML: ${firstLine(error.message)}. Nothing was planned; mend the file`,
      );
    }
    yield* objectsIn(document, { at });
  }
}

/** The parser's own text goes on with the place and an excerpt. */
function firstLine(message: string): string {
  return message
    .split('\n', 1)
    .join('')
    .replace(/ at line \d+, column \d+:?$/, '');
}

interface Where {
  readonly at: (offset: number) => Place;
}

function* objectsIn(document: Document.Parsed, { at }: Where): Generator<Written> {
  const place = at(document.contents?.range[0] ?? document.range[0]);
  const value = plain(document, place);
  if (value === null || value === undefined) return;
  yield* itemsOf(document, [], { value, place, at });
}

/** What is no list, and the items of what is one, also of a list in a list. */
function* itemsOf(
  document: Document.Parsed,
  within: readonly PropertyKey[],
  { value, place, at }: { readonly value: unknown; readonly place: Place } & Where,
): Generator<Written> {
  const items = listItems(value ?? {});
  if (!items) {
    yield written(document, within, { value, place, at });
    return;
  }
  for (const [index, item] of items.entries()) {
    const path = [...within, 'items', index];
    const node = document.getIn(path, true);
    const begins = isNode(node) && node.range ? at(node.range[0]) : place;
    yield* itemsOf(document, path, { value: item, place: begins, at });
  }
}

/** An alias may stand for what is far larger than the file, or for what it is in itself. */
function plain(document: Document.Parsed, { file, line }: Place): unknown {
  try {
    // As kubectl sends it: what JSON cannot say is not there.
    const text = JSON.stringify(document.toJS({ maxAliasCount: 100 }));
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch (error) {
    throw new UserError(
      `${file}:${line}: the aliases of this document cannot be followed: ${firstLine((error as Error).message)}. Write the values out`,
    );
  }
}

/** Of a List, or of one kind's list, as `kubectl get -o yaml` prints them. */
function listItems(value: unknown): readonly unknown[] | undefined {
  const { kind, items } = value as Readonly<Record<string, unknown>>;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)
    ? items
    : undefined;
}

function written(
  document: Document.Parsed,
  within: readonly PropertyKey[],
  { value, place, at }: { readonly value: unknown; readonly place: Place } & Where,
): Written {
  return {
    value,
    place,
    placeOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const offset = offsetOf(document, [...within, ...path.slice(0, length)]);
        if (offset !== undefined) return at(offset);
      }
      return place;
    },
  };
}

/** Of the key where it is a field, of the value where it is an entry of a list. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const step = path.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isNode(key) && String(key) === String(step));
    return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  }
  const item = isSeq(parent) && typeof step === 'number' ? parent.items[step] : undefined;
  return isNode(item) ? item.range?.[0] : undefined;
}
