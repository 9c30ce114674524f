import { readFile } from 'node:fs/promises';
import { controlPlane } from '../controlplane/client.ts';
import { parseManifests } from './manifests.ts';

export const MONITORING = 'deploy/monitoring';
export const RUNBOOK = 'deploy/guides/runbook.md';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

/**
 * promtool reads them as Prometheus does; this reads them as the chart does, which makes a
 * PrometheusRule of them.
 */
export async function plainRules(): Promise<RuleGroups> {
  const spec = (await readFile(`${MONITORING}/rules.yaml`, 'utf8')).replaceAll(/^/gm, '  ');
  const text = `apiVersion: v1\nkind: Rules\nmetadata: { name: rules }\nspec:\n${spec}`;
  const [object] = await parseManifests(text, controlPlane.kubectlProgram);
  return (object as unknown as { spec: RuleGroups }).spec;
}

export function alertsIn({ groups }: RuleGroups): Alert[] {
  return groups.flatMap(({ rules }) => rules);
}

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string }[];
}

export async function panels(): Promise<readonly Panel[]> {
  const text = await readFile(`${MONITORING}/dashboard.json`, 'utf8');
  return (JSON.parse(text) as { readonly panels: readonly Panel[] }).panels;
}
