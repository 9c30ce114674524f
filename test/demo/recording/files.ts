import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { castText, parseCast } from './cast.ts';
import { screensOf } from './screens.ts';
import { svgOf } from './svg.ts';
import type { Written } from './terminal.ts';

const FOLDER = 'deploy/guides/media';
export const CAST = `${FOLDER}/demo.cast`;
export const PICTURE = `${FOLDER}/demo.svg`;
/** The story that was recorded, as `storyHash` gives it. */
export const STORY = `${FOLDER}/demo.story`;
export const SIZE = { columns: 120, rows: 36 };

/** What the recording shows comes from these: another text in them, and it may be of the past. */
const TELLERS = [
  ...['story', 'story-everyday', 'story-mistakes', 'story-organization', 'panel', 'view'].map(
    (name) => `test/demo/${name}.ts`,
  ),
  ...['secret', 'pipesettings', 'organization'].map((name) => `deploy/examples/${name}.yaml`),
];

export function storyHash(): string {
  const hash = createHash('sha256');
  for (const file of TELLERS) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** Writes the recording, its picture, and of which story they are. */
export async function keepRecording(written: readonly Written[]): Promise<void> {
  const title = 'Pipewright at work: a new object, an edit, a refused value, an organization';
  writeFileSync(CAST, castText({ ...SIZE, title, written }));
  writeFileSync(PICTURE, await pictureOf(readFileSync(CAST, 'utf8')));
  writeFileSync(STORY, `${storyHash()}\n`);
}

export async function pictureOf(text: string): Promise<string> {
  const cast = parseCast(text);
  return svgOf({ ...cast, screens: await screensOf(cast) });
}
