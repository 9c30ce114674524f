/**
 * Every spelling in which a key pair could leak: as it is, in base64 with and without padding, for
 * URLs, in JSON, and any part of `id:secret` in base64.
 */
export function spellings(id: string, secret: string): string[] {
  const plain = [id, secret, `${id}:${secret}`];
  const base64 = plain.flatMap((text) => {
    // Inside of longer texts the same bytes look different, depending on where they begin.
    const shifted = [0, 1, 2].map((before) => {
      const encoded = Buffer.from(`${'x'.repeat(before)}${text}`)
        .toString('base64')
        .replace(/=+$/, '');
      return encoded.slice(before === 0 ? 0 : before + 1, -2);
    });
    return [...shifted, ...shifted.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
  });
  const inJson = plain.map((text) => JSON.stringify(text).slice(1, -1));
  return [...new Set([...plain, ...plain.map(encodeURIComponent), ...base64, ...inJson])];
}

/** Which of the spellings stand in which of the texts; names the text, not the secret. */
export function leaks(texts: Readonly<Record<string, string>>, forms: readonly string[]): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    forms
      .filter((form) => text.includes(form))
      .map(
        (form) =>
          `${name}: …${text.slice(Math.max(0, text.indexOf(form) - 80), text.indexOf(form) + 40)}…`,
      ),
  );
}
