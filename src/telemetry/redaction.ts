/**
 * Shorter ones are not looked for: they would blacken innocent words, and a credential that short
 * hides nothing.
 */
const SHORTEST = 6;
const PREFIX = 4;
const MASK = '[redacted]';

/**
 * Replaces known secrets in text that is about to leave the process. The last line of defence:
 * nothing should get there.
 */
export interface Redactor {
  /**
   * Looks for these from now on, also in their JSON and URL spelling, until the function it returns
   * is called.
   */
  add(secrets: readonly string[]): () => void;
  apply(text: string): string;
}

/**
 * Secrets are found by their first four characters, so that a line costs the same with one secret
 * as with thousands: one look-up per character, and none at all while there is no secret.
 */
export function createRedactor(): Redactor {
  const holders = new Map<string, number>();
  const byPrefix = new Map<string, string[]>();

  const remember = (secret: string): void => {
    const held = holders.get(secret) ?? 0;
    holders.set(secret, held + 1);
    if (held > 0) return;
    const prefix = secret.slice(0, PREFIX);
    const sharing = [...(byPrefix.get(prefix) ?? []), secret];
    // The longest first: of two secrets where one begins with the other, nothing may be left over.
    byPrefix.set(
      prefix,
      sharing.toSorted((a, b) => b.length - a.length),
    );
  };
  const forget = (secret: string): void => {
    const held = holders.get(secret) ?? 0;
    if (held > 1) return void holders.set(secret, held - 1);
    holders.delete(secret);
    const prefix = secret.slice(0, PREFIX);
    const left = (byPrefix.get(prefix) ?? []).filter((other) => other !== secret);
    if (left.length === 0) return void byPrefix.delete(prefix);
    byPrefix.set(prefix, left);
  };

  return {
    add(secrets) {
      const spellings = [...new Set(secrets.flatMap(spellingsOf))].filter(
        ({ length }) => length >= SHORTEST,
      );
      spellings.forEach(remember);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        spellings.forEach(forget);
      };
    },
    apply(text) {
      if (byPrefix.size === 0) return text;
      let clean = '';
      let copied = 0;
      for (let at = 0; at <= text.length - SHORTEST; at++) {
        const found = byPrefix
          .get(text.slice(at, at + PREFIX))
          ?.find((secret) => text.startsWith(secret, at));
        if (found === undefined) continue;
        clean += text.slice(copied, at) + MASK;
        copied = at + found.length;
        at = copied - 1;
      }
      return copied === 0 ? text : clean + text.slice(copied);
    },
  };
}

function spellingsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}
