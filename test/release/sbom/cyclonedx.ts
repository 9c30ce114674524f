import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import type { Part } from './parts.ts';
import type { Subject } from './subject.ts';

const LICENCE = 'Apache-2.0';

/** In the format of CycloneDX, as JSON. Without a serial number and a time: the same parts give the same bytes. */
export function cyclonedx({ name, kind, version, purl, parts }: Subject): string {
  const { Container, Application } = Enums.ComponentType;
  const subject = component(kind === 'container' ? Container : Application, {
    name,
    version,
    purl,
    licence: LICENCE,
  });
  const components = parts.map((part) => component(Enums.ComponentType.Library, part));
  for (const one of components) subject.dependencies.add(one.bomRef);
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: subject }),
    components: new Models.ComponentRepository(components),
  });
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 });
  return `${text}\n`;
}

function component(
  type: Enums.ComponentType,
  { name, version, purl, cpe, licence }: Part,
): Models.Component {
  const one = new Models.Component(type, name, {
    version,
    purl,
    bomRef: purl,
    ...(cpe !== undefined && { cpe }),
  });
  if (licence !== undefined)
    one.licenses.add(
      SPDX.isSupportedSpdxId(licence)
        ? new Models.SpdxLicense(licence)
        : new Models.LicenseExpression(licence),
    );
  return one;
}
