import type { Made } from './bundles.ts';
import type { Bundled } from './contents.ts';

const KIB = 1024;

/** What is in a bundle, for whoever builds it. */
export function table({ bundle, code, contents: { own, packages } }: Made): string {
  const rows = [
    { name: 'pipewright, its own code', version: '', licence: '', ...own },
    ...packages,
  ].toSorted((a, b) => b.bytes - a.bytes);
  const cells = rows.map(({ name, version, licence, bytes, reaches }) => [
    `${name} ${version}`.trim(),
    (bytes / KIB).toFixed(1),
    licence,
    reaches.join(', '),
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => (at === 1 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    `dist/${bundle.file}: ${size(Buffer.byteLength(code))}, from ${size(total)} before it was minified, of ${packages.length} packages;`,
    'by KiB before, with the licence, and with what each may ask of Node that `node --permission` refuses, or that runs texts:',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

function size(bytes: number): string {
  return `${Math.round(bytes / KIB)} KiB`;
}

/** The licences of all that is in the bundles and not ours, each once. */
export function notices(made: readonly Pick<Made, 'contents'>[]): string {
  const packages = made.flatMap(({ contents }) => contents.packages);
  const byName = Map.groupBy(packages, ({ name, version }) => `${name} ${version}`);
  const parts = [...byName]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, same]) => `${what} (${same[0]?.licence})\n\n${texts(same).join('\n\n')}\n`);
  const head =
    'Pipewright, the operator and the plugin of kubectl, holds code of these packages, each under the licence below it.\n';
  return [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Of one package in several bundles: another part of it may have another licence. */
function texts(same: readonly Bundled[]): string[] {
  return [...new Set(same.flatMap((one) => one.texts))];
}
