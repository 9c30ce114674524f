import type { Run, Screen } from './screens.ts';

export interface Picture {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly screens: readonly Screen[];
}

/** Of a letter, in the units of the picture. */
const WIDTH = 8.4;
const HEIGHT = 18;
const MARGIN = 14;
/** How long the last screen stays before it begins again. */
const LAST_MS = 4_000;
const COLOURS: Readonly<Record<number, string>> = {
  [-1]: '#d6deeb',
  1: '#ff6b6b',
  2: '#7ed787',
  3: '#f2cc60',
  6: '#6cc7f0',
};

/**
 * Plays a recording as an image does: no script, no font of its own, and on a dark ground, so that
 * it can be read on a light page and on a dark one. The screens stand side by side, as on a film,
 * and a window goes from one to the next; each different row is there once. Who asks for less
 * motion sees the last screen.
 */
export function svgOf({ columns, rows, title, screens }: Picture): string {
  const width = Math.ceil(columns * WIDTH);
  const height = rows * HEIGHT;
  const ids = new Map<string, string>();
  const idOf = (drawn: string): string => {
    const id = ids.get(drawn) ?? `r${ids.size}`;
    ids.set(drawn, id);
    return id;
  };
  const film = screens.map(({ rows: lines }, at) => {
    const uses = lines.flatMap((runs, y) =>
      runs.length === 0 ? [] : [`<use href="#${idOf(drawn(runs))}" y="${y * HEIGHT}"/>`],
    );
    return `<g transform="translate(${at * width})">${uses.join('')}</g>`;
  });
  const rowsOnce = [...ids].map(([row, id]) => `<g id="${id}">${row}</g>`);
  const inner = [width + 2 * MARGIN, height + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${inner.join(' ')}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style(screens, width)}</style>`,
    `<defs>${rowsOnce.join('\n')}</defs>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1520"/>`,
    `<svg x="${MARGIN}" y="${MARGIN}" width="${width}" height="${height}"><g class="film">`,
    ...film,
    '</g></svg>',
    '</svg>',
    '',
  ].join('\n');
}

function style(screens: readonly Screen[], width: number): string {
  const [first] = screens;
  const last = screens.at(-1);
  if (!first || !last) throw new Error('there is nothing to show: the recording is empty');
  const total = last.ms - first.ms + LAST_MS;
  const frames = screens.map(({ ms }, at) => {
    const percent = (((ms - first.ms) / total) * 100).toFixed(3);
    return `${percent}%{transform:translateX(-${at * width}px)}`;
  });
  const end = `translateX(-${(screens.length - 1) * width}px)`;
  return [
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
    ...Object.entries(COLOURS).map(([colour, code]) => `.${colourClass(+colour)}{fill:${code}}`),
    '.b{font-weight:bold}.d{opacity:.6}',
    `.film{animation:play ${(total / 1_000).toFixed(1)}s step-end infinite}`,
    `@keyframes play{${frames.join('')}100%{transform:${end}}}`,
    `@media(prefers-reduced-motion:reduce){.film{animation:none;transform:${end}}}`,
  ].join('\n');
}

function drawn(runs: readonly Run[]): string {
  return runs
    .map(({ column, text, bold, dim, colour }) => {
      const classes = [
        colourClass(colour in COLOURS ? colour : -1),
        ...(bold ? ['b'] : []),
        ...(dim ? ['d'] : []),
      ];
      const length = round([...text].length * WIDTH);
      return `<text x="${round(column * WIDTH)}" y="13" textLength="${length}" class="${classes.join(' ')}">${escaped(text)}</text>`;
    })
    .join('');
}

function colourClass(colour: number): string {
  return colour === -1 ? 't' : `c${colour}`;
}

function round(units: number): string {
  return String(Math.round(units * 10) / 10);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
