const MASK = '***';
/** A shorter one is hidden only as a whole word: it must not take a letter out of every text. */
const ANYWHERE_FROM = 6;
/** A value is looked up by so many of its first characters: the most that it has. */
const HEADS = [16, ANYWHERE_FROM, 5, 4, 3, 2, 1];
const LETTER = /[\p{L}\p{N}_]/u;
const BASE64 = /[\w+/-]{8,}={0,2}/g;
/** How JSON and URLs write what may be in a key, which is printable ASCII. */
const ESCAPES = [/\\(?:u00([2-7][\da-f])|(["\\/]))/gi, /%([2-7][\da-f])/gi];

export type Redactor = ReturnType<typeof createRedactor>;
/** By head; what several hold is there several times. */
type Known = Map<string, { readonly value: string }[]>;

/** Hides id and secret of a key in what the API says to its owner. */
export function createMask(keyId: string, keySecret: string): (text: string) => string {
  const { add, redact } = createRedactor();
  add([keyId, keySecret, `${keyId}:${keySecret}`]);
  return redact;
}

/** Hides values as they are, in base64, percent-encoded and as JSON escapes them. */
export function createRedactor() {
  const known: Known = new Map();
  return {
    /** Until the function that it returns is called. */
    add(values: readonly string[]): () => void {
      const asInForms = values.map((value) => value.replaceAll(' ', '+'));
      const all = new Set([...values, ...asInForms].filter(Boolean));
      const removes = [...all].map((value) => remember(known, value));
      return () => removes.forEach((remove) => remove());
    },
    /** A text in which an escaped value stands loses all its escapes of that sort. */
    redact(text: string): string {
      let clean = hide(known, text);
      for (const pattern of ESCAPES) {
        const read = clean.replace(pattern, (_, hex?: string, itself?: string) =>
          hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (itself ?? ''),
        );
        if (read !== clean && hide(known, read) !== read) clean = hide(known, read);
      }
      return clean;
    },
  };
}

function remember(known: Known, value: string): () => void {
  const size = HEADS.find((one) => one <= value.length);
  const head = value.slice(0, size);
  const entry = { value };
  known.set(head, [...(known.get(head) ?? []), entry]);
  return () => {
    const others = known.get(head)?.filter((one) => one !== entry) ?? [];
    if (others.length > 0) known.set(head, others);
    else known.delete(head);
  };
}

/** What is encoded may begin at any place of a run, so its bytes are read from each of four. */
function hide(known: Known, text: string): string {
  return hidePlain(known, text).replace(BASE64, (run) => {
    const isTold = [0, 1, 2, 3].some((skip) => {
      const decoded = Buffer.from(run.slice(skip), 'base64').toString('latin1');
      return decoded.match(/[ -~]{6,}/g)?.some((part) => hidePlain(known, part) !== part);
    });
    return isTold ? MASK : run;
  });
}

/** What overlaps goes together, so that no value uncovers a part of another. */
function hidePlain(known: Known, text: string): string {
  let clean = '';
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const length = lengthAt(known, text, at);
    if (length > 0 && at >= end) clean += text.slice(end, at) + MASK;
    end = Math.max(end, length > 0 ? at + length : 0);
  }
  return clean + text.slice(end);
}

/** Of the longest value that stands there. */
function lengthAt(known: Known, text: string, at: number): number {
  let longest = 0;
  for (const size of HEADS) {
    // No whole word begins in the midst of one.
    if (size < ANYWHERE_FROM && LETTER.test(text.charAt(at - 1))) break;
    for (const { value } of known.get(text.slice(at, at + size)) ?? [])
      if (value.length > longest && text.startsWith(value, at) && isWhole(text, at, value))
        longest = value.length;
  }
  return longest;
}

function isWhole(text: string, at: number, { length }: string): boolean {
  const beside = text.charAt(at - 1) + text.charAt(at + length);
  return length >= ANYWHERE_FROM || !LETTER.test(beside);
}
