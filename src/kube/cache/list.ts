import type { KubeClient } from '../client/client.ts';
import { isExpired, KubeError } from '../client/kube-error.ts';
import { isNamed, type KubeObject } from '../resource.ts';

export interface ListOptions<T> {
  readonly client: KubeClient;
  readonly path: string;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Default 500. */
  readonly pageSize?: number | undefined;
  readonly metadataOnly?: boolean | undefined;
  /** Applied page by page, so that a whole list never stands in memory untrimmed. */
  readonly trim?: ((object: T) => T) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Listed<T> {
  readonly objects: T[];
  /** A watch from here misses nothing. */
  readonly resourceVersion: string;
}

interface Page<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string | null };
  readonly items: readonly T[] | null;
}

const PAGE_SIZE = 500;
/** A page may have to wait its turn at a busy server and then takes time to send. */
const PAGE_TIMEOUT_MS = 30_000;
/**
 * A list that takes longer than the server keeps its versions (5 min) will not come through by
 * paging.
 */
const PAGED_TRIES = 2;

/**
 * All objects of a collection as of one moment, which is not before the call: no resourceVersion is
 * given, so the server makes sure of its state first, and everything acknowledged before is in it.
 * Throws KubeError.
 */
export async function listAll<T extends KubeObject>(options: ListOptions<T>): Promise<Listed<T>> {
  for (let tries = 1; ; tries++) {
    try {
      return await listPages(options, tries <= PAGED_TRIES ? (options.pageSize ?? PAGE_SIZE) : 0);
    } catch (error) {
      if (!isExpired(error) || tries > PAGED_TRIES) throw error;
    }
  }
}

/** The version that the collection has now; what costs least. Throws KubeError. */
export async function currentVersion(options: ListOptions<never>): Promise<string> {
  const { metadata } = await onePage<never>(options, { limit: '1' });
  return metadata.resourceVersion;
}

async function listPages<T extends KubeObject>(
  options: ListOptions<T>,
  limit: number,
): Promise<Listed<T>> {
  const { trim = (object: T) => object } = options;
  const pageFrom = (next: string): Promise<Page<T>> =>
    onePage(options, {
      ...(limit > 0 ? { limit: String(limit) } : {}),
      ...(next ? { continue: next } : {}),
    });
  const objects: T[] = [];
  let page = await pageFrom('');
  for (;;) {
    const { resourceVersion } = page.metadata;
    const next = page.metadata.continue ?? '';
    const following = next === '' ? undefined : pageFrom(next);
    // The server works on that one while this one is trimmed. A failure is thrown below.
    following?.catch(() => {});
    if (following) await new Promise((resolve) => setImmediate(resolve));
    for (const item of page.items ?? []) objects.push(trim(item));
    if (!following) return { objects, resourceVersion };
    page = await following;
  }
}

/** Anything else, taken for an empty list, would have all objects be gone. */
function isPage<T>(page: Page<T> | null): page is Page<T> {
  const { metadata, items } = (page ?? {}) as Partial<Page<T>>;
  if (typeof metadata?.resourceVersion !== 'string' || metadata.resourceVersion === '')
    return false;
  return items === null || (Array.isArray(items) && items.every(isNamed));
}

async function onePage<T>(
  options: ListOptions<T>,
  query: Readonly<Record<string, string>>,
): Promise<Page<T>> {
  const { client, path, metadataOnly = false, signal } = options;
  const page = await client.request<Page<T> | null>({
    method: 'GET',
    path,
    query: { ...selectorsOf(options), ...query },
    ...(metadataOnly ? { accept: acceptMetadata('PartialObjectMetadataList') } : {}),
    ...(signal ? { signal } : {}),
    timeoutMs: PAGE_TIMEOUT_MS,
  });
  if (isPage(page)) return page;
  const body = 'the answer is no list of objects';
  throw new KubeError({ call: `GET ${path}`, status: 200, reason: 'Unreadable', body });
}

/** The query that narrows a list or watch. */
export function selectorsOf(
  options: Pick<ListOptions<never>, 'fieldSelector' | 'labelSelector'>,
): Record<string, string> {
  return {
    ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
  };
}

/** The Accept header for metadata only. */
export function acceptMetadata(
  kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}
