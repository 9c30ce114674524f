import * as z from 'zod/mini';

/**
 * The subset of zod that kinds are written in. One piece makes both the check that the parser runs
 * and the keywords that the CRD carries, so the two cannot part; `structural.ts` refuses
 * schemas made of anything else. It is zod/mini, which starts in a fraction of the time and memory
 * of zod.
 */

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A CEL rule of the CRD. What it says must be checked by the piece that carries it as well. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: 'FieldValueForbidden' | 'FieldValueInvalid';
  readonly fieldPath?: string;
}

/**
 * A check between fields, `must` being its end of the sentence "spec must …", and the rule that
 * makes the API server do the same.
 */
interface Also<Value> {
  readonly check: (value: Value) => boolean;
  readonly must: string;
  readonly rule: Rule;
}

/**
 * Text of `min` to `max` code points, the unit of the API server (JavaScript's `length` would
 * refuse an emoji too early). `must` says the bounds in words; it ends the sentence "spec.x must
 * …".
 */
export function text(options: {
  readonly about: string;
  readonly max: number;
  readonly min?: number;
  readonly pattern?: RegExp;
  readonly format?: 'date-time';
  readonly must?: string;
  /** A further check, and the rule that makes the API server do the same. */
  readonly also?: { readonly check: (value: string) => boolean; readonly rule: Rule };
}) {
  const { about, max, min = 0, pattern, format, also } = options;
  const must = options.must ?? `be text of ${min > 0 ? `${min} to` : 'at most'} ${max} characters`;
  const accepts = (value: string): boolean =>
    holds(value, min, max) &&
    (pattern?.test(value) ?? true) &&
    (format === undefined || (RFC_3339.test(value) && !Number.isNaN(Date.parse(value)))) &&
    (also?.check(value) ?? true);
  const error = `must ${must}`;
  return z
    .string({ error })
    .check(z.refine(accepts, { error }))
    .register(z.globalRegistry, {
      description: about,
      ...(format && { format }),
      ...(min > 0 && { minLength: min }),
      maxLength: max,
      ...(pattern && { pattern: pattern.source }),
      ...(also && { 'x-kubernetes-validations': [also.rule] }),
    });
}

/** Whole number from `min` to `max`, both included and both exact in JavaScript. */
export function integer(options: {
  readonly about: string;
  readonly min: number;
  readonly max: number;
}) {
  const { about, min, max } = options;
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .int({ error })
    .check(z.minimum(min, { error }), z.maximum(max, { error }))
    .register(z.globalRegistry, { description: about, format: 'int64' });
}

export function flag(about: string) {
  return z
    .boolean({ error: 'must be true or false' })
    .register(z.globalRegistry, { description: about });
}

/** One of a closed set of our own words; never for what the remote API reports. */
export function choice<const Words extends readonly [string, ...string[]]>(
  about: string,
  words: Words,
) {
  return z
    .enum(words, { error: `must be ${words.join(' or ')}` })
    .register(z.globalRegistry, { description: about });
}

/**
 * A moment that the operator writes itself: RFC 3339 in UTC with whole seconds. A time from a reply
 * is `text`.
 */
export function timestamp(about: string) {
  return text({ about, max: 32, format: 'date-time' });
}

/**
 * A number, a boolean or text: typeless in the CRD, where the bound on text holds and lists and
 * objects are refused.
 */
export function scalar(options: { readonly about: string; readonly max: number }) {
  const words = z
    .string()
    .check(z.refine((value) => holds(value, 0, options.max)))
    .register(z.globalRegistry, { maxLength: options.max });
  return z
    .union([words, z.number(), z.boolean()])
    .register(z.globalRegistry, { description: options.about });
}

/** A list that is replaced whole. */
export function list<Item extends z.ZodMiniType>(about: string, max: number, item: Item) {
  return z
    .array(item, { error: 'must be a list' })
    .check(z.maxLength(max, { error: `must have at most ${max} entries` }))
    .register(z.globalRegistry, { description: about, 'x-kubernetes-list-type': 'atomic' });
}

/** A list whose entries have one identity field each. */
export function listByKey<Item extends z.ZodMiniType>(
  about: string,
  max: number,
  key: string,
  item: Item,
) {
  return z
    .array(item)
    .check(z.maxLength(max))
    .register(z.globalRegistry, {
      description: about,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': [key],
    });
}

/** A list that is replaced whole, whose entries differ in one field of text, ASCII case ignored. */
export function uniqueList<
  Key extends string,
  Item extends z.ZodMiniType<Readonly<Record<Key, string>>>,
>(about: string, max: number, key: Key, item: Item) {
  return list(about, max, item)
    .check((context) => {
      const seen = new Set<string>();
      for (const [index, { [key]: value }] of context.value.entries()) {
        const plain = value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
        if (seen.has(plain))
          context.issues.push({
            code: 'custom',
            input: value,
            path: [index, key],
            message: `must be an ${key} that is listed only once`,
          });
        seen.add(plain);
      }
    })
    .register(z.globalRegistry, {
      description: about,
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': [
        {
          // One list in a list, so that each is put in lower case once: for every pair it would
          // cost more than the API server lets in.
          rule: `[self.map(a, a.${key}.lowerAscii())].all(all, all.all(a, all.exists_one(b, a == b)))`,
          message: `each ${key} may be listed only once`,
        },
      ],
    });
}

/**
 * An object with these fields. Others are ignored, as the API server prunes them. `rules` are for
 * the API server alone.
 */
export function fields<Shape extends z.core.$ZodShape>(
  about: string,
  shape: Shape,
  rules: readonly Rule[] = [],
  also?: Also<z.output<z.ZodMiniObject<Shape>>>,
) {
  const all = also ? [...rules, also.rule] : rules;
  const object = z.object(shape, { error: 'must be an object' });
  return (
    also ? object.check(z.refine(also.check, { error: `must ${also.must}` })) : object
  ).register(z.globalRegistry, {
    description: about,
    ...(all.length > 0 && { 'x-kubernetes-validations': all }),
  });
}

/** An object with these fields, of which at least one must be there. */
export function someFields<Shape extends z.core.$ZodShape>(about: string, shape: Shape) {
  return z
    .object(shape, { error: 'must be an object' })
    .check(
      z.refine((value) => Object.keys(value).length > 0, {
        error: 'must have at least one field that is known',
      }),
    )
    .register(z.globalRegistry, { description: about, minProperties: 1 });
}

/** The same field, which may be left out. */
export const optional = z.optional;

/**
 * The rule that makes a required field of `spec` immutable; one per field, so that the refusal
 * names it.
 */
export function immutable(field: string, whose: string): Rule {
  return {
    rule: `self.${field} == oldSelf.${field}`,
    message: `is immutable; create another object for another ${whose}`,
    reason: 'FieldValueForbidden',
    fieldPath: `.${field}`,
  };
}

function holds(value: string, min: number, max: number): boolean {
  if (value.length >= min * 2 && value.length <= max) return true;
  const points = codePoints(value);
  return points >= min && points <= max;
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}
