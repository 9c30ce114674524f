import type { Definition } from './definition.ts';
import { type Structural, toStructural } from './structural.ts';

/** What `status` and `spec` look like in a CRD. */
export interface KindSchema {
  readonly spec: Structural;
  readonly status: Structural;
}

export function kindSchema(definition: Definition): KindSchema {
  return {
    spec: toStructural(definition.spec, 'spec'),
    status: toStructural(definition.status, 'status'),
  };
}

/**
 * The CustomResourceDefinition of a kind, as plain data. Throws where a schema cannot be said in a
 * CRD.
 */
export function customResourceDefinition(definition: Definition) {
  const { group, version, plural, kind } = definition.type;
  const { spec, status } = kindSchema(definition);
  const { description, ...restOfStatus } = status;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: definition.singular,
        shortNames: [definition.shortName],
        categories: ['pipewright'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.columns.map((column) => ({
            name: column.name,
            type: column.type ?? 'string',
            jsonPath: column.path,
            ...(column.wide && { priority: 1 }),
            description: column.about,
          })),
          selectableFields: definition.selectableFields.map((jsonPath) => ({ jsonPath })),
          schema: {
            openAPIV3Schema: {
              description: definition.about,
              type: 'object',
              required: ['spec'],
              properties: {
                spec,
                status: { description, default: definition.pendingStatus, ...restOfStatus },
              },
            },
          },
        },
      ],
    },
  };
}
