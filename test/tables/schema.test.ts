import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CRDS, type Node } from './crds.ts';

const PENDING = { type: 'Ready', status: 'Unknown', reason: 'Pending' };
const kinds = CRDS.map((crd) => [crd.names.kind, crd] as const);

/** Every value that a schema describes, with its path. */
function nodesIn(node: Node, path: string): (readonly [string, Node])[] {
  const fields = Object.entries(node.properties ?? {});
  const inner = [node.items, node.additionalProperties].filter((one) => one !== undefined);
  const below = inner.flatMap((one) => nodesIn(one, `${path}[]`));
  const named = fields.flatMap(([name, one]) => nodesIn(one, `${path}.${name}`));
  return [[path, node], ...below, ...named];
}

function isBounded(node: Node): boolean {
  const { type, enum: words, maxLength, maxItems, minimum, maximum, maxProperties } = node;
  if (type === 'string') return words !== undefined || maxLength !== undefined;
  if (type === 'array') return maxItems !== undefined && node.items !== undefined;
  if (type === 'integer') return minimum !== undefined && maximum !== undefined;
  if (type === 'object') return (node.properties !== undefined) !== (maxProperties !== undefined);
  const isScalar = maxLength !== undefined && maxItems === 0 && maxProperties === 0;
  return type === 'boolean' || isScalar;
}

describe.each(kinds)('the CRD of %s', (_, { text, required, spec, status }) => {
  const nodes = [...nodesIn(spec, 'spec'), ...nodesIn(status, 'status')];
  const pathsOf = (isWrong: (node: Node) => boolean) =>
    nodes.filter(([, node]) => isWrong(node)).map(([path]) => path);

  test('describes and bounds every value', () => {
    expect(nodes.length).toBeGreaterThan(20);
    expect(pathsOf(({ description = '' }) => description.length < 5)).toEqual([]);
    expect(pathsOf((node) => !isBounded(node))).toEqual([]);
  });

  test('refuses in words, never by a regular expression', () => {
    expect(pathsOf((node) => 'pattern' in node)).toEqual([]);
    const messages = nodes.flatMap(([, node]) => node['x-kubernetes-validations'] ?? []);
    expect(messages).not.toEqual([]);
    const wrong = messages.filter(
      ({ message }) => !/^(\w+ )?(must|is immutable;) /.test(message) || /[[\]^$*+]/.test(message),
    );
    expect(wrong).toEqual([]);
  });

  test('requires spec, gives it no default, and starts as not yet visited', () => {
    expect(required).toEqual(['spec']);
    expect(JSON.stringify(spec)).not.toContain('"default"');
    expect(status).toHaveProperty('default', {
      observedGeneration: -1,
      conditions: [expect.objectContaining(PENDING)],
    });
  });

  test('is the same to every reader of YAML, and small', () => {
    expect(parse(text, { version: '1.1' })).toEqual(parse(text, { version: '1.2' }));
    expect(text.length).toBeLessThan(36 * 1024);
  });
});
