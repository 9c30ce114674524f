import type { Definition } from '../src/kinds/schema/definition.ts';
import { type Structural, toStructural } from '../src/kinds/schema/structural.ts';

/** What `spec` and `status` look like in a CRD. */
export function kindSchema(definition: Definition): { spec: Structural; status: Structural } {
  return { spec: toStructural(definition.spec), status: toStructural(definition.status) };
}

/** The CustomResourceDefinition of a kind, as plain data. */
export function customResourceDefinition(definition: Definition) {
  const { type, singular, shortName, about, columns, selectableFields } = definition;
  const { group, version, plural, kind } = type;
  const { spec, status } = kindSchema(definition);
  const { description, ...restOfStatus } = status;
  const schema = {
    description: about,
    type: 'object',
    required: ['spec'],
    properties: {
      spec,
      status: { description, default: definition.pendingStatus, ...restOfStatus },
    },
  };
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
        singular,
        shortNames: [shortName],
        categories: ['pipewright'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns.map((column) => ({
            name: column.name,
            type: column.type ?? 'string',
            jsonPath: column.path,
            ...(column.wide && { priority: 1 }),
            description: column.about,
          })),
          selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
