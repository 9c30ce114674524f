import type { KubeObject } from '../kube/resource.ts';
import * as activity from './activity/forecast.ts';
import type { Activity } from './activity/resource.ts';
import { activityType } from './activity/resource.ts';
import type { Forecast, World } from './engine/forecast.ts';
import * as organization from './organization/forecast.ts';
import {
  type Organization,
  targetOf as organizationTarget,
  organizationType,
} from './organization/resource.ts';
import * as pipeSettings from './pipe-settings/forecast.ts';
import {
  type PipeSettings,
  pipeSettingsType,
  targetOf as pipeTarget,
} from './pipe-settings/resource.ts';

/** What the operator does about an object of one kind, worked out without doing it. */
export interface Forecaster {
  forecast(object: KubeObject, world: World): Forecast;
  /** Objects of the kind with the same target contend for it; undefined: it contends with none. */
  targetOf(object: KubeObject): string | undefined;
  /** What its deletion makes the operator do. */
  forecastDeletion(object: KubeObject, world: World): Forecast;
}

/**
 * By kind. Specs are parsed, and a stored status has the shape that its CRD's schema has checked.
 */
export const forecasters: Readonly<Record<string, Forecaster>> = {
  [pipeSettingsType.kind]: {
    forecast: (object, world) => pipeSettings.forecast(object as PipeSettings, world),
    targetOf: pipeTarget,
    forecastDeletion: pipeSettings.forecastDeletion,
  },
  [organizationType.kind]: {
    forecast: (object, world) => organization.forecast(object as Organization, world),
    targetOf: organizationTarget,
    forecastDeletion: (object, world) =>
      organization.forecastDeletion(object as Organization, world),
  },
  [activityType.kind]: {
    forecast: (object, world) => activity.forecast(object as Activity, world),
    targetOf: () => undefined,
    forecastDeletion: activity.forecastDeletion,
  },
};
