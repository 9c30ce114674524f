import { StringDecoder } from 'node:string_decoder';

/**
 * Cuts bytes into lines however they were split on the way, inside a line or inside a character.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  /**
   * Pieces of the line under way: joined once, so that a long line costs no more than its length.
   */
  #pieces: string[] = [];
  #length = 0;

  /** Characters of the line under way. */
  get pending(): number {
    return this.#length;
  }

  /** The lines that end in this chunk, without their ends; empty ones are left out. */
  push(chunk: Uint8Array): string[] {
    const text = this.#decoder.write(chunk);
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#take(text.slice(start, end));
      if (line !== '' && line !== '\r') lines.push(line);
      start = end + 1;
    }
    if (start < text.length) this.#keep(text.slice(start));
    return lines;
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #take(last: string): string {
    if (this.#length === 0) return last;
    const line = this.#pieces.join('') + last;
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
