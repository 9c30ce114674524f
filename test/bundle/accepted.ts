import type { Made } from './bundles.ts';
import type { Contents } from './contents.ts';

/** Licences that go with ours without a question; of `A OR B` one of them is enough. */
const LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
]);

/** What somebody has looked at, by package. Sizes and versions are left to the lock file. */
interface AcceptedOfOne {
  readonly [name: string]: { readonly licence: string; readonly reaches: readonly string[] };
}

/** The same of each bundle, by its file. */
export interface Accepted {
  readonly [file: string]: AcceptedOfOne;
}

/** What of a made bundle counts here. */
export type Looked = Pick<Made, 'contents'> & { readonly bundle: { readonly file: string } };

export function toAccept(made: readonly Looked[]): Accepted {
  return Object.fromEntries(made.map(({ bundle, contents }) => [bundle.file, ofOne(contents)]));
}

function ofOne({ own, packages }: Contents): AcceptedOfOne {
  const rows = packages.map(({ name, licence, reaches }) => [name, { licence, reaches }] as const);
  return {
    ...Object.fromEntries(rows),
    pipewright: { licence: 'Apache-2.0', reaches: own.reaches },
  };
}

/** As the file is formatted: a line for each package. */
export function written(accepted: Accepted): string {
  const parts = Object.entries(accepted).map(([file, packages]) => {
    const lines = Object.entries(packages).map(([name, { licence, reaches }]) => {
      const list = reaches.map((one) => JSON.stringify(one)).join(', ');
      return `    ${JSON.stringify(name)}: { "licence": ${JSON.stringify(licence)}, "reaches": [${list}] }`;
    });
    return `  ${JSON.stringify(file)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}

/** What in the bundles nobody has accepted, and what must not be in them at all. */
export function objections(made: readonly Looked[], accepted: Accepted): string[] {
  return made.flatMap(({ bundle: { file }, contents }) =>
    [...licenceProblems(contents), ...differences(ofOne(contents), accepted[file] ?? {})].map(
      (problem) => `${file}: ${problem}`,
    ),
  );
}

function licenceProblems({ packages }: Contents): string[] {
  return packages.flatMap(({ name, version, licence, texts }) => {
    const what = `${name} ${version}`;
    if (!isAllowed(licence))
      return [
        `${what} has the licence ${JSON.stringify(licence)}, which is not among ${[...LICENCES].join(', ')}`,
      ];
    return texts.length === 0 ? [`${what} comes without the text of its licence`] : [];
  });
}

function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((one) => LICENCES.has(one));
}

function differences(now: AcceptedOfOne, accepted: AcceptedOfOne): string[] {
  const names = [...new Set([...Object.keys(now), ...Object.keys(accepted)])].sort();
  return names.flatMap((name) => {
    const [is, was] = [now[name], accepted[name]].map((one) => one && JSON.stringify(one));
    if (is === was) return [];
    if (was === undefined) return [`${name} is new in the bundle: ${is}`];
    if (is === undefined) return [`${name} is no longer in the bundle`];
    return [`${name} was ${was} and is ${is}`];
  });
}
