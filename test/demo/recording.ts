import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Draw } from './view.ts';

const PICTURE = join(import.meta.dirname, '../../deploy/guides/media/demo.svg');
const TITLE = 'Pipewright at work: a new object, an edit, a refused value, an organization';

type Frame = { readonly ms: number; readonly lines: readonly string[] };

/** Of a letter, and of the picture, in its units. */
const [LETTER, LINE, MARGIN] = [8.4, 18, 14];
const SIZE = { columns: 112, rows: 36 };
const [WIDTH, HEIGHT] = [Math.ceil(SIZE.columns * LETTER), SIZE.rows * LINE];
/** Moments that follow each other faster nobody can tell apart. */
const [LEAST_MS, LAST_MS] = [400, 6_000];
/** By the codes of a terminal. */
const COLOURS = { 31: '#ff6b6b', 32: '#7ed787', 33: '#f2cc60', 36: '#6cc7f0' };

/** Keeps what a terminal of that size would have shown. */
export class Recording {
  readonly #frames: Frame[] = [];
  #since: number | undefined;

  readonly draw: Draw = (story, table) => {
    const lines = [...story.slice(-(SIZE.rows - table.length)), ...table];
    const before = this.#frames.at(-1);
    this.#since ??= performance.now();
    const now = performance.now() - this.#since;
    if (before && now - before.ms < LEAST_MS) this.#frames.splice(-1, 1, { ms: before.ms, lines });
    else this.#frames.push({ ms: now, lines });
  };

  async save(): Promise<void> {
    await writeFile(PICTURE, pictureOf(this.#frames));
  }
}

/**
 * An image that plays without a script: the frames stand side by side, as on a film, and a window
 * goes from one to the next; each different line is there once. Who asks for less motion sees the
 * last one.
 */
function pictureOf(frames: readonly Frame[]): string {
  const ids = new Map<string, string>();
  const film = frames.map(({ lines }, at) => {
    const uses = lines.map((line, y) => {
      const id = ids.get(line) ?? `l${ids.size}`;
      ids.set(line, id);
      return `<use href="#${id}" y="${(y + 1) * LINE - 5}"/>`;
    });
    return `<g transform="translate(${at * WIDTH})">${uses.join('')}</g>`;
  });
  const lines = [...ids].map(([line, id]) => `<text id="${id}">${spans(line)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + 2 * MARGIN} ${HEIGHT + 2 * MARGIN}" xml:space="preserve" role="img" aria-label="${TITLE}">`,
    `<title>${TITLE}</title>`,
    `<style>${style(frames)}</style>`,
    `<defs>${lines.join('\n')}</defs>`,
    '<rect width="100%" height="100%" rx="8" fill="#0d1520"/>',
    `<svg x="${MARGIN}" y="${MARGIN}" width="${WIDTH}" height="${HEIGHT}"><g class="film">`,
    ...film,
    '</g></svg>',
    '</svg>',
    '',
  ].join('\n');
}

function style(frames: readonly Frame[]): string {
  const total = (frames.at(-1)?.ms ?? 0) + LAST_MS;
  const moves = frames.map(({ ms }, at) => `${((100 * ms) / total).toFixed(2)}%{${moved(at)}}`);
  const end = moved(frames.length - 1);
  return [
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#d6deeb}',
    ...Object.entries(COLOURS).map(([code, colour]) => `.c${code}{fill:${colour}}`),
    '.c1{font-weight:bold}.c2{opacity:.6}',
    `.film{animation:play ${(total / 1_000).toFixed(1)}s step-end infinite}`,
    `@keyframes play{${moves.join('')}100%{${end}}}`,
    `@media(prefers-reduced-motion:reduce){.film{animation:none;${end}}}`,
  ].join('\n');
}

function moved(frame: number): string {
  return `transform:translateX(-${frame * WIDTH}px)`;
}

/** A line is of one format, or of none. */
function spans(line: string): string {
  const text = stripVTControlCharacters(line).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const code = line.startsWith('\u001B[') ? line.slice(2, line.indexOf('m')) : undefined;
  return code === undefined ? text : `<tspan class="c${code}">${text}</tspan>`;
}
