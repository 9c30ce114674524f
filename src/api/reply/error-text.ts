import { isObject } from './json.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What the API says of a refusal. The shape of an error is not specified: this is the first text
 * where servers put one. `all` false, of what may be a success: only what is called an error.
 */
export function errorTextIn(body: Fields, all: boolean): string {
  const { error, message, detail, title, errors } = body;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const places = [error, messageIn(error)];
  if (all) places.push(message, detail, title, first, messageIn(first));
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && value.trim() !== '';
  return places.find(isText) ?? '';
}

function messageIn(value: unknown): unknown {
  return isObject(value) && Object.hasOwn(value, 'message') ? value['message'] : undefined;
}

/** A body that is no JSON speaks only where it says it is plain text; a page never does. */
export function plainTextIn(text: string, contentType: string | string[] | undefined): string {
  const isPlain = /^text\/plain\b/i.test([contentType ?? ''].flat()[0] ?? '');
  return isPlain && !text.trimStart().startsWith('<') ? text : '';
}
