import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** What is or would be in git, so that a page can link to nothing that only this machine has. */
const LISTED = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
const FILES = execFileSync('git', LISTED, { encoding: 'utf8' }).trim().split('\n');
const FOLDERS = FILES.flatMap((path) =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)),
);
const PLACES = new Set([...FILES, ...FOLDERS]);
const PAGES = FILES.filter((path) => path.endsWith('.md'));
/** Sites that pages may link to; add one by hand when you have looked at it. */
const SITES = ['github.com', 'kubernetes.io'];
/** Stands for an address of the reader's own. */
const EXAMPLE = /^(?:[\w.-]+\.)?(?:example\.com|127\.0\.0\.1|kubernetes\.default\.svc)$/;

/** Without fenced blocks, whose lines stay as empty ones. */
const proseOf = (page: string): string =>
  readFileSync(page, 'utf8').replace(/^ *(```+|~~~+)[^]*?^ *\1$/gm, (block) =>
    block.replace(/.+/g, ''),
  );

/** As GitHub names the headings of a page, with what a page names itself. */
function anchorsOf(page: string): string[] {
  const prose = proseOf(page);
  const own = [...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id);
  const slugs = [...prose.matchAll(/^#{1,6}\s+(.*?)\s*$/gm)].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    return words.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-');
  });
  return [...own, ...slugs];
}

/** Of this repository, as texts name it that are read elsewhere. */
const OURS = 'https://github.com/pipewright/pipewright/blob/main/';

/** What is wrong with a link; undefined where nothing is. */
function fault(page: string, target: string): string | undefined {
  if (target.startsWith(OURS)) return fault('README.md', target.slice(OURS.length));
  if (/^[a-z][a-z+.-]*:/i.test(target)) {
    const { protocol, hostname } = new URL(target);
    const isKnown = SITES.includes(hostname) && protocol === 'https:';
    return isKnown || EXAMPLE.test(hostname) ? undefined : 'not among the sites of this test';
  }
  const [path = '', anchor] = target.split('#', 2);
  const file = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
  if (!PLACES.has(file)) return `there is no ${file}`;
  return anchor === undefined || anchorsOf(file).includes(anchor) ? undefined : 'no such heading';
}

const LINK =
  /\]\(<?([^)\s>]+)|<(?:img|a)\s[^>]*\b(?:src|href)="([^"]*)"|^\[[^\]]+\]:\s*(\S+)|\b(https?:\/\/[^\s)>"]+)/gm;
const ABSOLUTE = /https:\/\/github\.com\/pipewright\/pipewright\/blob\/main\/[\w./#-]*[\w-]/g;
const BLIND = /!\[\s*\]\(|<img(?![^>]*alt="[^"]+")/;
const NAMED = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|md|ya?ml|json|sh|lua))`/g;

test.each(PAGES)('%s links to what is there, and shows no image without a text', (page) => {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(LINK)].map((found) => found.slice(1).find(Boolean) ?? '');
  const wrong = targets.map((target) => [target, fault(page, target)]);
  expect(wrong.filter(([, why]) => why !== undefined)).toEqual([]);
  expect(prose).not.toMatch(BLIND);
});

test.each(PAGES)('%s names files that are there', (page) => {
  const named = [...proseOf(page).matchAll(NAMED)].map(([, name = '']) => name);
  // Outside of the code a name without a folder may be that of a reader's own file.
  const isOurs = /^(?:src|test)\//.test(page);
  const ours = named.filter((name) => isOurs || name.includes('/'));
  const isThere = (name: string): boolean =>
    PLACES.has(normalize(join(dirname(page), name))) ||
    FILES.some((file) => `/${file}`.endsWith(`/${name}`));
  expect(ours.filter((name) => !isThere(name))).toEqual([]);
});

test('texts that are read elsewhere link to pages and headings that are there', () => {
  const texts = FILES.filter((path) => /^(?:src|crds|deploy)\/.*\.(?:ts|ya?ml|txt)$/.test(path));
  const links = texts.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(ABSOLUTE)]);
  expect(links.length).toBeGreaterThan(5);
  const wrong = links.map(([target]) => [target, fault('README.md', target)]);
  expect(wrong.filter(([, why]) => why !== undefined)).toEqual([]);
});
