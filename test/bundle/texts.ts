import type { Contents } from './contents.ts';

const KIB = 1024;

/** What is in the bundle, for whoever builds it. */
export function table({ own, packages }: Contents, minified: number): string {
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
    `dist/pipewright.js: ${size(minified)}, from ${size(total)} before it was minified, of ${packages.length} packages;`,
    'by KiB before, with the licence, and with what each may ask of Node that `node --permission` refuses, or that runs texts:',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

function size(bytes: number): string {
  return `${Math.round(bytes / KIB)} KiB`;
}

/** The licences of all that is in the bundle and not ours. */
export function notices({ packages }: Contents): string {
  const head = `dist/pipewright.js holds code of these packages, each under the licence below it.\n`;
  const parts = packages.map(
    ({ name, version, licence, texts }) =>
      `${name} ${version} (${licence})\n\n${texts.join('\n\n')}\n`,
  );
  return [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}
