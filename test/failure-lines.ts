import { stripVTControlCharacters } from 'node:util';

const MOST = 24;
const LONGEST = 300;
/** As vitest and our own runners say it, as the hunt does, and as Node ends. */
const TELLS = /^\s*(?:FAIL\b|Seed \d+ breaks |==>|Again: |\w*Error\b.*:)/;
/** Where nothing of what it printed is known to tell of a failure. */
const LAST = 8;

/** Of all that a command prints, the lines that tell what failed; its last ones where none does. */
export class FailureLines {
  readonly #telling: string[] = [];
  readonly #last: string[] = [];

  take(printed: string): void {
    const line = stripVTControlCharacters(printed).trimEnd().slice(0, LONGEST);
    if (line === '') return;
    if (TELLS.test(line)) this.#telling.push(line);
    this.#last.push(line);
    if (this.#last.length > LAST) this.#last.shift();
  }

  lines(): readonly string[] {
    const telling = [...new Set(this.#telling)];
    if (telling.length === 0) return this.#last;
    const more = telling.length - MOST;
    return [...telling.slice(0, MOST), ...(more > 0 ? [`and ${more} lines more like these`] : [])];
  }
}
