/** What CHANGELOG.md says of one version. */
export interface Section {
  /** `YYYY-MM-DD`; absent where it is not released. */
  readonly date?: string;
  readonly text: string;
}

/** Throws where a version has no section, or an empty one. */
export function sectionOf(changelog: string, version: string): Section {
  const heading = /^## (\S+) \((unreleased|\d{4}-\d{2}-\d{2})\)$/gm;
  const headings = [...changelog.matchAll(heading)];
  const at = headings.findIndex(([, name]) => name === version);
  const found = headings[at];
  if (!found) {
    const there = headings.map(([, name]) => name).join(', ') || 'none';
    throw new Error(
      `CHANGELOG.md has no section for ${version}, only for: ${there}. Add one that begins with the line "## ${version} (YYYY-MM-DD)", or with "(unreleased)" until the day is known`,
    );
  }
  const [line, , date] = found;
  const text =
    changelog
      .slice(found.index + line.length)
      .split(/^## /m)[0]
      ?.trim() ?? '';
  if (text === '') throw new Error(`CHANGELOG.md says nothing below "${line}"`);
  if (date === 'unreleased' || date === undefined) return { text };
  if (!isDay(date))
    throw new Error(
      `CHANGELOG.md has "${line}", and there is no day ${date}; write it as YYYY-MM-DD`,
    );
  return { date, text };
}

/** Date takes the 30th of February, as the 2nd of March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** What keeps a tag from being released. */
export function requireTag(tag: string, version: string, { date }: Section): void {
  if (tag !== `v${version}`)
    throw new Error(
      `the tag is ${JSON.stringify(tag)}, and package.json has the version ${version}, whose tag is "v${version}"`,
    );
  if (date === undefined)
    throw new Error(
      `CHANGELOG.md calls ${version} unreleased; write its day in place of that before you make the tag`,
    );
}
