import { Card } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Schema } from './openapi.ts';
import { SchemaProperty } from './schema-property.tsx';
import classes from './schema-view.module.css';
import { fieldsOf, resolve, type Schemas, typeInWords } from './schemas.ts';

interface SchemaViewProps {
  readonly schema: Schema;
  readonly schemas: Schemas;
}

/** The fields of a value. What lies deeper opens on a click, so a schema that holds itself goes as deep as one likes. */
export function SchemaView({ schema, schemas }: SchemaViewProps): ReactElement {
  const { schema: found, name } = resolve(schema, schemas);
  return (
    <Card padding="sm">
      <div className={classes['type']}>{name ?? typeInWords(found, schemas)}</div>
      {found.description && <div className={classes['description']}>{found.description}</div>}
      <ul className={classes['fields']}>
        {fieldsOf(found, schemas).map((field) => (
          <SchemaProperty key={field.name} field={field} schemas={schemas} />
        ))}
      </ul>
    </Card>
  );
}
