import { describe, expect, test } from 'vitest';
import ofActivity from './activity-status.json' with { type: 'json' };
import { activityStories } from './activity-stories.ts';
import ofOrganization from './organization-status.json' with { type: 'json' };
import { organizationStories } from './organization-stories.ts';
import ofPipeSettings from './pipe-settings-status.json' with { type: 'json' };
import { pipeSettingsStories } from './pipe-settings-stories.ts';
import type { Visited } from './stored.ts';

/**
 * Statuses stay in clusters for years, and the next version reads what this one has written. Each
 * story goes through plan, act and report as a process does, and what is stored after each step is
 * held against a file. Sentences are not; the reasons of conditions are.
 */

type Stories = Readonly<Record<string, () => Promise<Visited>>>;

describe.each<readonly [string, Stories, Readonly<Record<string, unknown>>]>([
  ['PipeSettings', pipeSettingsStories, ofPipeSettings],
  ['Organization', organizationStories, ofOrganization],
  ['Activity', activityStories, ofActivity],
])('%s', (_kind, stories, golden) => {
  test('each story has its golden steps', () => {
    expect(Object.keys(stories)).toEqual(Object.keys(golden));
  });

  test.each(Object.entries(stories))('%s', async (name, tell) => {
    const { steps } = await tell();
    expect(steps).toEqual(golden[name]);
  });
});
