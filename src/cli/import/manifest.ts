import { Document, isScalar, parse } from 'yaml';
import { plainLine } from '../../api/reply/text.ts';
import type { Definition, SpecResult } from '../../kinds/schema/definition.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import { UserError } from '../user-error.ts';

export interface Manifest {
  readonly definition: Definition;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * YAML with every text in quotes: an id such as `0123`, `1e3`, `null` or `yes` would else be read
 * as something other than text. `above` becomes a comment.
 */
export function manifestText(
  { definition, metadata, spec }: Manifest,
  above: readonly string[],
): string {
  const { type } = definition;
  const document = new Document(
    { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec },
    // kubectl reads YAML 1.1, where more words are no text: the name of a label may be one.
    { compat: 'yaml-1.1' },
  );
  for (const field of ['apiVersion', 'kind']) {
    const node = document.get(field, true);
    if (isScalar(node)) node.type = 'PLAIN';
  }
  const body = document.toString({
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
    doubleQuotedAsJSON: true,
  });
  return [...above.map(commented), escaped(body).trimEnd()].join('\n');
}

/**
 * The same, where the operator takes it as it will be read: the text is parsed again and its spec
 * compared with the schema.
 */
export function checkedYaml(
  manifest: Manifest,
  above: readonly string[],
  parseSpec: (object: { readonly spec?: unknown }) => SpecResult<unknown>,
): string {
  const text = manifestText(manifest, above);
  const read = parseSpec(parse(text) as { readonly spec?: unknown });
  if (read.ok) return text;
  throw new UserError(
    `no manifest is printed, because the operator would not take it: ${shownLine(read.message)}`,
  );
}

/** Sentences that stand one below the other. */
export function asPoints(sentences: readonly string[]): string[] {
  return sentences.map((sentence) => `- ${sentence}`);
}

/** A comment is one line, whatever stands in the text. */
export function commented(text: string): string {
  return `# ${shownLine(text)}`;
}

/** A text with words of the API or the cluster in it, as one line that a terminal only shows. */
export function shownLine(text: string): string {
  return plainLine(text, 1024, (same) => same);
}

/**
 * JSON leaves some characters as they are that a terminal heeds or that nobody sees. They stand
 * only within quotes, where an escape means the same.
 */
function escaped(yaml: string): string {
  return yaml.replace(/[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** The Secret that a manifest names where nobody has named one. */
export const USUAL_SECRET = 'management-api';

const LONGEST_NAME = 63;

/** A name for the object, made from the first of these texts that has letters or digits for one. */
export function objectNameFrom(...texts: readonly (string | undefined)[]): string {
  const names = texts.map((text = '') =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, LONGEST_NAME)
      .replace(/^-+|-+$/g, ''),
  );
  return names.find((name) => name !== '') ?? 'imported';
}
