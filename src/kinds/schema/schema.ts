import * as z from 'zod/mini';
import { piece, type Rule, type Structural, toStructural } from './structural.ts';

/**
 * The pieces that kinds are written in. One piece makes both the check that the parser runs and
 * what the CRD says, so the two cannot part. It is zod/mini, which starts in a fraction of the time
 * and memory of zod.
 */

/** What a value must be beyond its type and upper bound. */
export interface Check<Value> {
  /** Ends the sentence "spec.x must …"; advice may follow it after a semicolon. */
  readonly must: string;
  readonly accepts: (value: Value) => boolean;
  /** The same in CEL, for the API server. */
  readonly rule: string;
}

/** Never `pattern` in a CRD: its refusal is the regular expression, not a sentence. */
export function matching(pattern: RegExp, must: string): Check<string> {
  const rule = `self.matches(${JSON.stringify(pattern.source)})`;
  return { must, accepts: (value) => pattern.test(value), rule };
}

/** The first that fails is the one that is reported. */
function refusals<Value>(checks: readonly Omit<Check<Value>, 'rule'>[]) {
  return checks.map(({ must, accepts }) =>
    z.refine<Value>(accepts, { error: `must ${must}`, abort: true }),
  );
}

function rulesOf(
  checks: readonly Pick<Check<never>, 'must' | 'rule'>[],
  others: readonly Rule[] = [],
): Structural {
  const rules = checks.map(({ must, rule }) => ({ rule, message: `must ${must}` }));
  if (rules.length + others.length === 0) return {};
  return { 'x-kubernetes-validations': [...others, ...rules] };
}

/** At most `max` code points, as the API server counts: `length` refuses an emoji too early. */
export function text(about: string, max: number, ...checks: readonly Check<string>[]) {
  const must = checks[0]?.must ?? `be text of at most ${max} characters`;
  const bound = { must, accepts: (value: string) => fits(value, max) };
  const schema = z.string({ error: `must ${must}` }).check(...refusals([bound, ...checks]));
  return piece(schema, { description: about, type: 'string', maxLength: max, ...rulesOf(checks) });
}

function fits(value: string, max: number): boolean {
  return value.length <= max || [...value].length <= max;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,11})?Z$/;

/** A moment that the operator writes itself, in UTC. A time from a reply is `text`. */
export function timestamp(about: string) {
  const isTime = (value: string) => RFC_3339.test(value) && !Number.isNaN(Date.parse(value));
  const schema = z.string().check(z.refine(isTime));
  return piece(schema, { description: about, type: 'string', format: 'date-time', maxLength: 32 });
}

/** Whole number from `min` to `max`, both included and both exact in JavaScript. */
export function integer(about: string, min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return piece(z.int({ error }).check(z.minimum(min, { error }), z.maximum(max, { error })), {
    description: about,
    type: 'integer',
    format: 'int64',
    minimum: min,
    maximum: max,
  });
}

export function flag(about: string) {
  const schema = z.boolean({ error: 'must be true or false' });
  return piece(schema, { description: about, type: 'boolean' });
}

/** One of a closed set of our own words; never for what the remote API reports. */
export function choice<const Words extends readonly [string, ...string[]]>(
  about: string,
  words: Words,
) {
  const schema = z.enum(words, { error: `must be ${words.join(' or ')}` });
  return piece(schema, { description: about, type: 'string', enum: words });
}

/**
 * A boolean, text or a number: any, or only whole ones that JavaScript knows exactly. No type of a
 * CRD can say so, but the bounds of the other types keep what is in lists and objects out.
 */
export function scalar(about: string, max: number, numbers: 'any' | 'whole' = 'any') {
  const words = z.string().check(z.refine((value) => fits(value, max)));
  const number = numbers === 'whole' ? z.int() : z.number();
  const error = `must be text of at most ${max} characters, a whole number, true or false`;
  return piece(z.union([words, number, z.boolean()], { error }), {
    description: about,
    maxLength: max,
    maxItems: 0,
    maxProperties: 0,
    ...(numbers === 'whole' && {
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      multipleOf: 1,
    }),
    'x-kubernetes-preserve-unknown-fields': true,
  });
}

/** A list that is replaced whole; with a key, one whose entries have that field of their own. */
export function list<Item extends z.ZodMiniType>(
  about: string,
  max: number,
  item: Item,
  key?: string,
) {
  const bound = z.maxLength(max, { error: `must have at most ${max} entries` });
  return piece(z.array(item, { error: 'must be a list' }).check(bound), {
    description: about,
    type: 'array',
    maxItems: max,
    'x-kubernetes-list-type': key === undefined ? 'atomic' : 'map',
    ...(key !== undefined && { 'x-kubernetes-list-map-keys': [key] }),
    items: toStructural(item),
  });
}

/** CEL puts each id in lower case once: for every pair it costs more than the server lets in. */
const IDS_ONCE = {
  rule: '[self.map(a, a.id.lowerAscii())].all(all, all.all(a, all.exists_one(b, a == b)))',
  message: 'must list each id only once',
};

/** The same list, in which no id stands twice, in other letters neither. */
export function idsOnce<Item extends z.ZodMiniType<{ readonly id: string }>>(
  entries: z.ZodMiniArray<Item>,
) {
  const checked = entries.check(({ value, issues }) => {
    const ids = value.map(({ id }) => id.toLowerCase());
    const message = 'must be an id that is listed only once';
    for (const [index, id] of ids.entries())
      if (ids.indexOf(id) < index)
        issues.push({ code: 'custom', input: value[index]?.id, path: [index, 'id'], message });
  });
  return piece(checked, { ...toStructural(entries), 'x-kubernetes-validations': [IDS_ONCE] });
}

/** The same field, which may be left out. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return piece(z.optional(schema), toStructural(schema));
}

export type Pieces = Readonly<Record<string, z.ZodMiniType>>;

/** Other fields are ignored, as the API server prunes them. `rules` are for that server alone. */
export function fields<Shape extends Pieces>(
  about: string,
  shape: Shape,
  rules: readonly Rule[] = [],
  ...checks: readonly Check<z.output<z.ZodMiniObject<Shape>>>[]
) {
  const entries = Object.entries(shape);
  const required = entries.filter(([, field]) => !(field instanceof z.ZodMiniOptional));
  const schema = z.object(shape, { error: 'must be an object' }).check(...refusals(checks));
  return piece(schema, {
    description: about,
    type: 'object',
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, named(name, field)])),
    ...rulesOf(checks, rules),
  });
}

/** The API server names a field in front of its refusal, but `kubectl` shows only what follows. */
function named(name: string, field: z.ZodMiniType): Structural {
  const { 'x-kubernetes-validations': rules, ...node } = toStructural(field);
  if (rules === undefined) return node;
  const sentence = (message: string) => message.replace(/^must /, `${name} must `);
  return {
    ...node,
    'x-kubernetes-validations': rules.map((rule) => ({ ...rule, message: sentence(rule.message) })),
  };
}

type Optional<Shape extends Pieces> = { [Name in keyof Shape]: z.ZodMiniOptional<Shape[Name]> };

/** An object of which each field may be absent, but for as many as there must be at least. */
export function someOf<Shape extends Pieces>(about: string, shape: Shape, least: 0 | 1 = 0) {
  const all = Object.entries(shape).map(([name, field]) => [name, optional(field)] as const);
  const any = fields(about, Object.fromEntries(all) as Optional<Shape>);
  const enough = z.refine<object>((value) => Object.keys(value).length >= least, {
    error: 'must have at least one field that is known',
  });
  const node = { ...toStructural(any), ...(least > 0 && { minProperties: least }) };
  return piece(any.check(enough), node);
}

/** The rule that a required field of `spec` never changes; one per field, so that it is named. */
export function immutable(field: string, whose: string): Rule {
  return {
    rule: `self.${field} == oldSelf.${field}`,
    message: `is immutable; create another object for another ${whose}`,
    reason: 'FieldValueForbidden',
    fieldPath: `.${field}`,
  };
}
