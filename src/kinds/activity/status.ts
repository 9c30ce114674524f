import { fields, optional, text } from '../schema/schema.ts';
import { commonStatus } from '../schema/status-fields.ts';
import { RECORD, type RecordFieldName, recordFieldNames } from './record.ts';

type Shape = { [Name in RecordFieldName]: ReturnType<typeof optional<ReturnType<typeof text>>> };

const record = Object.fromEntries(
  recordFieldNames.map((name) => [name, optional(text(RECORD[name]))]),
) as Shape;

/** For the CRD and for types only: the operator never runs it, so nothing it runs may import it. */
export const status = fields(
  'What the operator did and what the API reported. Only the operator writes it.',
  {
    ...commonStatus,
    activity: optional(
      fields(
        'The record as the API reported it; a field that the response omitted is absent. It contains names and addresses of people: grant read access with care.',
        record,
      ),
    ),
  },
);
