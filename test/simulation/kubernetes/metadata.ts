import type { Meta } from './objects.ts';
import { badRequest } from './refusal.ts';

/** What a client sends as metadata; nothing of it is checked yet. */
type SentMeta = Readonly<Record<string, unknown>>;

export function metaOf({ metadata }: { readonly metadata?: unknown }): SentMeta {
  if (typeof metadata !== 'object' || metadata === null) throw badRequest('metadata is missing');
  return metadata as SentMeta;
}

/** A text that says something; undefined for none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The parts of metadata that are a client's to say; what it leaves out or empty is not there. */
export function sayable({ annotations, labels, finalizers }: SentMeta): Partial<Meta> {
  return withoutEmpty({ annotations, labels, finalizers } as Partial<Meta>);
}

/** The same with that part replaced. */
export function withSayable(stored: Meta, sent: SentMeta): Meta {
  const { annotations: _, labels: __, finalizers: ___, ...rest } = stored;
  return { ...rest, ...sayable(sent) };
}

function withoutEmpty(meta: Partial<Meta>): Partial<Meta> {
  const isEmpty = (value: unknown): boolean =>
    value === undefined ||
    value === null ||
    (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => !isEmpty(value)));
}

/** As the API server writes a time. */
export function wholeSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
