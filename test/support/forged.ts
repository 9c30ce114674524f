import fc from 'fast-check';
import type { Structural } from '../../src/kinds/schema/structural.ts';

/** Times that read well and are odd. */
const TIMES = [
  '2026-03-01T12:00:00Z',
  '2026-03-01T11:00:00Z',
  '1970-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2027-03-01T12:00:00.999999999Z',
];

/** Words that a reader of a status may look for. */
const WORDS = ['Ready', 'Stalled', 'Applied', 'TargetConflict', 'Unauthorized', 'SpecInvalid', ''];

/** Any value that a schema lets in, whoever wrote it. */
export function forged(schema: Structural): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object': {
      const { properties = {}, additionalProperties, required = [] } = schema;
      if (additionalProperties)
        return fc.dictionary(fc.string({ maxLength: 8 }), forged(additionalProperties), {
          maxKeys: 3,
          noNullPrototype: true,
        });
      return fc.record(
        Object.fromEntries(
          Object.entries(properties).map(([name, field]) => [name, forged(field)]),
        ),
        { requiredKeys: [...required] },
      );
    }
    case 'array': {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      const options = {
        maxLength: Math.min(schema.maxItems ?? 0, 4),
      };
      const item = forged(schema.items ?? {});
      if (keys.length === 0) return fc.array(item, options);
      const keyOf = (one: unknown) => JSON.stringify(keys.map((key) => (one as Fields)[key]));
      return fc.uniqueArray(item, { ...options, selector: keyOf });
    }
    case 'integer': {
      const { minimum = 0, maximum = 0 } = schema;
      const some = [minimum, maximum, 0, 1, 2, 200, 401, 404].filter(
        (one) => one >= minimum && one <= maximum,
      );
      return fc.constantFrom(...some);
    }
    case 'boolean':
      return fc.boolean();
    case 'string':
      return forgedText(schema);
    case undefined:
    default:
      return fc.constantFrom('x', 1.5, true, '');
  }
}

function forgedText({ enum: words, format, maxLength = 0 }: Structural) {
  if (words) return fc.constantFrom(...words);
  if (format === 'date-time') return fc.constantFrom(...TIMES);
  const fits = WORDS.filter(({ length }) => length <= maxLength);
  return fc.oneof(
    ...(fits.length > 0 ? [fc.constantFrom(...fits)] : []),
    fc.string({ maxLength: Math.min(maxLength, 20) }),
    fc.constant('ü'.repeat(maxLength)),
  );
}

type Fields = Readonly<Record<string, unknown>>;

const deep = (depth: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`);

/** What stands where something else should. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  'yesterday',
  '2026-99-99T99:99:99Z',
  '\ud800',
  'a\u0000\u001b[31m\r\nb',
  'x'.repeat(5_000),
  [],
  [null],
  [[]],
  Array.from({ length: 300 }, (_, index) => index),
  {},
  JSON.parse('{"__proto__":{"suspend":true},"constructor":1,"toString":null}') as unknown,
  deep(40),
];

/** A step into a value, chosen by a number; undefined: the value itself is meant. */
function stepsOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/**
 * The value with something odd, or nothing, at one place in it. `way`: one number per step into it.
 */
function spoilt(value: unknown, way: readonly number[], odd: unknown): unknown {
  const steps = stepsOf(value);
  const [choice, ...rest] = way;
  if (choice === undefined || steps.length === 0) return odd;
  const step = steps[choice % steps.length] ?? '';
  const member = spoilt((value as Fields)[step], rest, odd);
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === step ? member : item));
  const { [step]: _, ...others } = value as Fields;
  return member === undefined ? others : { ...others, [step]: member };
}

/** Values of an arbitrary of which something is spoilt, at any place, once or more often. */
export function spoiltOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  const spoil = fc.tuple(
    fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
    fc.oneof(fc.constantFrom(...ODD), fc.constant(undefined), fc.jsonValue()),
  );
  return fc
    .tuple(value, fc.array(spoil, { minLength: 1, maxLength: 3 }))
    .map(([sound, all]) =>
      all.reduce<unknown>((before, [way, odd]) => spoilt(before, way, odd), sound),
    );
}
