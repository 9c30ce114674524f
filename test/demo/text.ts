/** How a line is coloured, or not. */
export interface Ink {
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Escape sequences for a terminal; without `colours` every text stays as it is. */
export function createInk(colours: boolean): Ink {
  const paint = (code: number) => (text: string) =>
    colours && text !== '' ? `\u001B[${code}m${text}\u001B[0m` : text;
  return {
    bold: paint(1),
    dim: paint(2),
    green: paint(32),
    red: paint(31),
    yellow: paint(33),
    cyan: paint(36),
  };
}

/** At most `width` characters, the last of them an ellipsis where something is missing. */
export function cut(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  return width < 1 ? '' : `${characters.slice(0, width - 1).join('')}…`;
}

/** Exactly `width` characters. */
export function fit(text: string, width: number): string {
  const short = cut(text, width);
  return short + ' '.repeat(Math.max(0, width - [...short].length));
}

/**
 * Lines of at most `width` characters, broken at spaces; a longer word stays whole, so that it can
 * be copied.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** How far something is away, in one unit. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes}m` : `${Math.round(minutes / 60)}h`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
