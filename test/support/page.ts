import { readFileSync } from 'node:fs';

/** Commands of a document that a reader runs together. */
export interface PageBlock {
  readonly page: string;
  /** Of the fence, from 1. */
  readonly line: number;
  /** The heading above it. */
  readonly section: string;
  /** The one of level 2 above it. */
  readonly chapter: string;
  /** For `sh -e`. */
  readonly script: string;
  /** What the page shows as output; absent where it shows none. */
  readonly shown?: string;
  /** What the page itself says is missing to run it: the block is not run. */
  readonly notRun?: string;
}

/** A fenced block of a document, whatever it holds. */
export interface Fence {
  readonly line: number;
  readonly section: string;
  readonly chapter: string;
  readonly language: string;
  readonly lines: readonly string[];
  /** The line directly above the fence. */
  readonly above: string;
}

const NOT_RUN = /^\*Not run by our tests: needs (.+)\.\*$/;

/**
 * The commands of a page, or of these chapters of it, in their order: ```sh blocks, and each `$` of
 * ```console blocks.
 */
export function pageBlocks(page: string, ...chapters: readonly string[]): PageBlock[] {
  const fences = fencesIn(readFileSync(page, 'utf8'));
  const unknown = chapters.filter((name) => fences.every(({ chapter }) => chapter !== name));
  if (unknown.length > 0) throw new Error(`${page} has no block below "${unknown.join()}"`);
  const asked = fences.filter(({ chapter }) => chapters.length === 0 || chapters.includes(chapter));
  return asked.flatMap((fence) => {
    const { line, section, chapter } = fence;
    const reason = NOT_RUN.exec(fence.above)?.[1];
    const notRun = reason === undefined ? {} : { notRun: reason };
    const place = { page, line, section, chapter, ...notRun };
    if (fence.language === 'sh') return [{ ...place, script: fence.lines.join('\n') }];
    if (fence.language === 'console') {
      return prompts(fence.lines).map((prompt) => ({ ...place, ...prompt }));
    }
    return [];
  });
}

/** Fenced blocks with where they stand; a fence may be indented, as below a list's item. */
export function fencesIn(text: string): Fence[] {
  const found: Fence[] = [];
  let section = '';
  let chapter = '';
  let above = '';
  let open: (Omit<Fence, 'lines'> & { lines: string[]; indent: number }) | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^(\s*)```(\w*)$/.exec(line);
    if (!fence && /^\s*(?:```|~~~)/.test(line))
      throw new Error(`line ${index + 1}: a fence is three backticks and one word: ${line}`);
    if (open && fence) {
      found.push(open);
      open = undefined;
    } else if (open) {
      open.lines.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
    } else if (fence) {
      const [, indent = '', language = ''] = fence;
      open = {
        line: index + 1,
        section,
        chapter,
        language,
        lines: [],
        above,
        indent: indent.length,
      };
    } else {
      section = /^#+ (.*)$/.exec(line)?.[1] ?? section;
      chapter = /^## (.*)$/.exec(line)?.[1] ?? chapter;
      above = line.trim();
    }
  }
  if (open) throw new Error(`the fence of line ${open.line} is never closed`);
  return found;
}

/** Each `$ command` with the lines up to the next one, which are its output. */
function prompts(lines: readonly string[]): { script: string; shown: string }[] {
  const found: { script: string[]; shown: string[] }[] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (line.startsWith('$ ')) found.push({ script: [line.slice(2)], shown: [] });
    else if (!last) throw new Error(`a console block begins with $ and a command, not: ${line}`);
    else if (last.shown.length === 0 && last.script.at(-1)?.endsWith('\\')) last.script.push(line);
    else last.shown.push(line);
  }
  return found.map(({ script, shown }) => ({
    script: script.join('\n'),
    shown: shown.join('\n').trim(),
  }));
}
