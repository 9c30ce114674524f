/**
 * Text that no YAML reader, 1.1 or 1.2, takes for anything but itself when it stands without
 * quotes.
 */
const PLAIN = /^\.?[A-Za-z]([A-Za-z0-9 _.,;/()'~-]*[A-Za-z0-9.)])?$/;
const WORDS = /^\.?(y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
/** May stand between single quotes, where a backslash means itself. */
const PRINTABLE = /^[ -~]*$/;

/**
 * Block-style YAML of plain JSON data, ending in a newline. Text that could be read as something
 * else is quoted.
 */
export function toYaml(data: object): string {
  return `${block(data, '').join('\n')}\n`;
}

function block(value: object, indent: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => entry('-', item, indent));
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    entry(`${scalar(key)}:`, item, indent),
  );
}

/** `lead` is `key:` or `-`; what hangs from a dash starts on its line. */
function entry(lead: string, value: unknown, indent: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${indent}${lead} ${scalar(value)}`];
  const isList = Array.isArray(value);
  if (Object.keys(value).length === 0) return [`${indent}${lead} ${isList ? '[]' : '{}'}`];
  if (lead !== '-') return [`${indent}${lead}`, ...block(value, isList ? indent : `${indent}  `)];
  const [first = '', ...others] = block(value, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...others];
}

function scalar(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined)
    throw new TypeError('YAML is written from JSON data only, without undefined and functions');
  if (typeof value !== 'string') return json;
  if (PLAIN.test(value) && !WORDS.test(value)) return value;
  return json.includes('\\') && PRINTABLE.test(value) ? `'${value.replaceAll("'", "''")}'` : json;
}
