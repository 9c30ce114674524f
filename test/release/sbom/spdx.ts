import { PROJECT } from '../image/config.ts';
import type { Part } from './parts.ts';
import type { Subject } from './subject.ts';

const UNKNOWN = 'NOASSERTION';

/** In the format of SPDX 2.3, as JSON. */
export function spdx(subject: Subject): string {
  const { name, version, created, parts } = subject;
  const packages = parts.map((part) => packageOf(part, 'LIBRARY'));
  const main = packageOf(
    { ...subject, licence: 'Apache-2.0' },
    subject.kind === 'container' ? 'CONTAINER' : 'APPLICATION',
  );
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${name}-${version}`,
    documentNamespace: `${PROJECT}/spdx/${name}-${version}`,
    creationInfo: { created, creators: [`Tool: pipewright-release-${version}`] },
    packages: [main, ...packages],
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', main.SPDXID),
      ...packages.map(({ SPDXID }) => relationship(main.SPDXID, 'CONTAINS', SPDXID)),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function packageOf({ name, version, purl, cpe, licence = UNKNOWN }: Part, purpose: string) {
  return {
    SPDXID: `SPDXRef-${purl.replaceAll(/[^A-Za-z0-9.]+/g, '-')}`,
    name,
    versionInfo: version,
    primaryPackagePurpose: purpose,
    downloadLocation: UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: UNKNOWN,
    licenseDeclared: licence,
    copyrightText: UNKNOWN,
    externalRefs: [
      reference('PACKAGE-MANAGER', 'purl', purl),
      ...(cpe === undefined ? [] : [reference('SECURITY', 'cpe23Type', cpe)]),
    ],
  };
}

function reference(referenceCategory: string, referenceType: string, referenceLocator: string) {
  return { referenceCategory, referenceType, referenceLocator };
}

function relationship(spdxElementId: string, relationshipType: string, relatedSpdxElement: string) {
  return { spdxElementId, relationshipType, relatedSpdxElement };
}
