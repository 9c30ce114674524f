import type { Reporter, TestCase } from 'vitest/node';

interface Row {
  tried: number;
  held: number;
}

/**
 * Prints a row per property. The cases of R1 are the tests whose full name begins with `R1:`, or
 * with `R1, R3:` where they show both.
 */
export default class PropertyTable implements Reporter {
  readonly #rows = new Map<string, Row>();

  onTestCaseResult(test: TestCase): void {
    const [properties = ''] = test.fullName.split(':');
    for (const property of properties.split(', ')) {
      const row = this.#rows.get(property) ?? { tried: 0, held: 0 };
      row.tried += 1;
      if (test.result().state === 'passed') row.held += 1;
      this.#rows.set(property, row);
    }
  }

  onTestRunEnd(): void {
    const rows = [...this.#rows].toSorted(([a], [b]) =>
      a.localeCompare(b, 'en', { numeric: true }),
    );
    console.log('\n| Property | Cases tried | Cases held |\n|---|---|---|');
    for (const [property, { tried, held }] of rows)
      console.log(`| ${property} | ${tried} | ${held} |`);
  }
}
