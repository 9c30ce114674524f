import { isDeepStrictEqual } from 'node:util';
import type { Redactor } from '../../redaction.ts';
import { toYaml } from '../yaml.ts';
import type { Part } from './part.ts';

/**
 * A part as the text that is written, without a known secret. Masked value by value first, as YAML
 * and JSON may write a value in a way in which nobody would find it, and then as a whole, for what
 * spreads over several values.
 */
export function maskedText({ content }: Part, redactor: Redactor): string {
  return typeof content === 'string'
    ? maskedLines(content, redactor)
    : redactor.apply(toYaml(maskedValue(content, redactor) as object));
}

/** A log has a JSON object on each line, and what a container leaves when it ends is a log too. */
function maskedLines(text: string, redactor: Redactor): string {
  return redactor.apply(text.replace(/^\{.*\}$/gm, (line) => maskedLine(line, redactor)));
}

/** What is no JSON is masked with the rest. */
function maskedLine(line: string, redactor: Redactor): string {
  try {
    const value: unknown = JSON.parse(line);
    const masked = maskedValue(value, redactor);
    return isDeepStrictEqual(masked, value) ? line : JSON.stringify(masked);
  } catch {
    return line;
  }
}

function maskedValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return maskedLines(value, redactor);
  if (Array.isArray(value)) return value.map((one) => maskedValue(one, redactor));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [
    redactor.apply(name),
    maskedValue(one, redactor),
  ]);
  return Object.fromEntries(fields);
}
