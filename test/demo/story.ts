import type { Stage } from './stage.ts';
import { activities } from './story-activity.ts';
import { everyday } from './story-everyday.ts';
import { glance } from './story-glance.ts';
import { mistakes } from './story-mistakes.ts';
import { organizations, takingBack } from './story-organization.ts';
import { trouble } from './story-trouble.ts';

export interface Step {
  readonly title: string;
  /** Tells and checks; throws where something is not as told. */
  readonly play: (stage: Stage) => Promise<void>;
}

/** Each step starts from what the one before left behind. */
export const story: readonly Step[] = [
  ...everyday,
  ...mistakes,
  ...organizations,
  ...activities,
  ...trouble,
  ...takingBack,
  ...glance,
];

/** For a visitor who has a minute: what the recording shows. */
export const trailer: readonly Step[] = [
  ...everyday.slice(0, 2),
  ...mistakes.slice(0, 1),
  ...organizations.slice(0, 1),
];
