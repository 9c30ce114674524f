import { plainLine } from '../../api/reply/text.ts';
import { isForbidden } from '../cluster/kubectl.ts';
import { UserError } from '../user-error.ts';

const LONGEST_LINE = 1_000;

/** What should be in the bundle and is not, with the reason. */
export class Missing {
  readonly #lines: string[] = [];

  /** In an order that does not depend on what was answered first. */
  get lines(): readonly string[] {
    return this.#lines.toSorted();
  }

  add(what: string, why: string): void {
    this.#lines.push(plainLine(`${what}: ${why}`, LONGEST_LINE, (text) => text));
  }

  /** What `read` gives; where the user can mend why it fails, it counts as missing. */
  async unless<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.add(what, reasonOf(error));
      return undefined;
    }
  }
}

/** Of a right that is missing only which it is: whoever lacks one mostly lacks more. */
function reasonOf(error: UserError): string {
  if (!isForbidden(error)) return error.message;
  const [right] = /User "[^"]*" cannot [^;]*/.exec(error.message) ?? [];
  return right ?? error.message;
}
