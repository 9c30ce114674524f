import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** What is or would be in git, so that a page can link to nothing that only this machine has. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '');
const PLACES = new Set(FILES.flatMap((path) => [path, ...foldersOf(path)]));
const PAGES = FILES.filter((path) => path.endsWith('.md'));

/** Sites that pages may link to; add one by hand when you have looked at it. */
const SITES = new Set(['github.com', 'kubernetes.io']);

interface Link {
  readonly line: number;
  readonly target: string;
  /** Of an image. */
  readonly alt?: string;
}

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? ['.'] : [folder, ...foldersOf(folder)];
}

/** The lines of a page without those of its fenced blocks. */
function proseOf(page: string): { readonly line: number; readonly text: string }[] {
  let fence: string | undefined;
  return readFileSync(page, 'utf8')
    .split('\n')
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => {
      const mark = /^\s*(```+|~~~+)/.exec(text)?.[1];
      if (mark === undefined) return fence === undefined;
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
      return false;
    });
}

const INLINE = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]*)>?(?:\s+"[^"]*")?\s*\)/g;
const DEFINED = /^\s{0,3}\[[^\]]+\]:\s*(\S+)/;
const BARE = /<(https?:[^>]+)>|(?<![(<"])\b(https?:\/\/[^\s)>"]+)/g;
/** Stands for an address of the reader's own, where it is not a link. */
const EXAMPLE =
  /^https?:\/\/(?:[\w.-]+\.)?(?:example\.com|127\.0\.0\.1|kubernetes\.default\.svc)\b/;
const HTML = /<(img|a)\s([^>]*)>/g;

function linksOf(page: string): Link[] {
  return proseOf(page).flatMap(({ line, text: whole }) => {
    const text = whole.replaceAll(/`[^`]*`/g, (code) => '`'.padEnd(code.length, 'x'));
    // An image may be the text of a link.
    const inner = [...text.matchAll(INLINE)].flatMap(([, , label = '']) => [
      ...label.matchAll(INLINE),
    ]);
    const inline = [...text.matchAll(INLINE), ...inner].map(([, image, alt = '', target = '']) => ({
      line,
      target,
      ...(image === '!' && { alt }),
    }));
    const defined = [DEFINED.exec(text)?.[1]].filter((one) => one !== undefined);
    const bare = [...text.replaceAll(INLINE, '').matchAll(BARE)]
      .map(([, quoted, plain]) => quoted ?? plain ?? '')
      .filter((address) => !EXAMPLE.test(address));
    return [
      ...inline,
      ...[...defined, ...bare].map((target) => ({ line, target })),
      ...htmlOf(text, line),
    ];
  });
}

function htmlOf(text: string, line: number): Link[] {
  return [...text.matchAll(HTML)].flatMap(([, name, attributes = '']) => {
    const valueOf = (attribute: string): string | undefined =>
      new RegExp(`\\b${attribute}="([^"]*)"`).exec(attributes)?.[1];
    const target = valueOf(name === 'img' ? 'src' : 'href');
    if (target === undefined) return [];
    return [{ line, target, ...(name === 'img' && { alt: valueOf('alt') ?? '' }) }];
  });
}

/** As GitHub names the headings of a page, with what a page names itself. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const { text } of proseOf(page)) {
    for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
    const heading = /^#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    anchors.add(before === 0 ? slug : `${slug}-${before}`);
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(INLINE, '$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** What is wrong with a link; undefined where nothing is. */
function fault(page: string, { target, alt }: Link): string | undefined {
  if (alt?.trim() === '') return 'an image without a text for those who do not see it';
  if (/^[a-z][a-z+.-]*:/i.test(target)) return faultOfAddress(target);
  const [path = '', anchor] = target.split('#', 2);
  const file =
    path === '' ? page : normalize(join(dirname(page), decodeURI(path))).replace(/\/$/, '');
  if (!PLACES.has(file)) return `there is no ${file}`;
  if (anchor === undefined) return undefined;
  if (!file.endsWith('.md')) return `${file} has no headings`;
  return anchorsOf(file).has(anchor) ? undefined : `${file} has no heading #${anchor}`;
}

function faultOfAddress(target: string): string | undefined {
  if (!URL.canParse(target)) return 'it is no URL';
  const { protocol, hostname } = new URL(target);
  if (protocol !== 'https:') return `it is ${protocol}`;
  return SITES.has(hostname) ? undefined : `${hostname} is not among the sites of this test`;
}

const NAMED = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|md|ya?ml|json|sh|lua))`/g;

/** A file may be named without the folders that it is in; outside of the code also one of the reader. */
function isFile(named: string, page: string): boolean {
  if (named.startsWith('.')) return PLACES.has(normalize(join(dirname(page), named)));
  const isOfReader = !named.includes('/') && !/^(?:src|test)\//.test(page);
  return isOfReader || FILES.some((file) => `/${file}`.endsWith(`/${named}`));
}

test('there are pages with links, to other pages, to places in them, and to sites', () => {
  const targets = PAGES.flatMap((page) => linksOf(page).map(({ target }) => target));
  expect(PAGES.length).toBeGreaterThan(40);
  expect(targets.filter((target) => /^[^#:]+$/.test(target)).length).toBeGreaterThan(50);
  expect(targets.filter((target) => /^[^:]*#/.test(target)).length).toBeGreaterThan(5);
  expect(targets.filter((target) => target.startsWith('https:')).length).toBeGreaterThan(0);
});

describe.each(PAGES)('%s', (page) => {
  test('links to what is there', () => {
    const wrong = linksOf(page).flatMap((link) => {
      const what = fault(page, link);
      return what === undefined ? [] : [`${page}:${link.line}: ${link.target}: ${what}`];
    });
    expect(wrong).toEqual([]);
  });

  test('names files that are there', () => {
    const wrong = proseOf(page).flatMap(({ line, text }) =>
      [...text.matchAll(NAMED)]
        .map(([, named = '']) => named)
        .filter((named) => !isFile(named, page))
        .map((named) => `${page}:${line}: ${named}`),
    );
    expect(wrong).toEqual([]);
  });
});
