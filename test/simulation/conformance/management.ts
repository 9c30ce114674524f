import { describe } from 'vitest';
import { activityCases } from './management/activity.ts';
import { answerCases } from './management/answers.ts';
import { credentialCases } from './management/credentials.ts';
import { documentCases } from './management/document.ts';
import { limitCases } from './management/limits.ts';
import { organizationCases } from './management/organization.ts';
import { settingsCases } from './management/settings.ts';
import type { Open } from './management/under-test.ts';

const CASES: Readonly<Record<string, (open: Open) => void>> = {
  document: documentCases,
  credentials: credentialCases,
  settings: settingsCases,
  organizations: organizationCases,
  activities: activityCases,
  limits: limitCases,
  answers: answerCases,
};

/**
 * What holds for every management API of the tests, however calls get to it. Faults of a transport
 * are no part of it.
 */
export function managementCases(open: Open): void {
  describe.each(Object.entries(CASES))('%s', (_, cases) => {
    cases(open);
  });
}
