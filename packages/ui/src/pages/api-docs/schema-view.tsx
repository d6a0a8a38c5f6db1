import { Card, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { CodeWords } from '../../components/code-words.tsx';
import type { Schema } from './openapi.ts';
import classes from './schema-view.module.css';
import { type Field, fieldsOf, limitsInWords, resolve, type Schemas, typeInWords } from './schemas.ts';

interface SchemaViewProps {
  readonly schema: Schema;
  readonly schemas: Schemas;
}

/** The fields of a value. Deeper fields open on a click, so a schema that contains itself can be opened to any depth. */
export function SchemaView({ schema, schemas }: SchemaViewProps): ReactElement {
  const { schema: found, name } = resolve(schema, schemas);
  return (
    <Card padding="sm">
      <Text variant="aside">{name ?? typeInWords(found, schemas)}</Text>
      {found.description && (
        <Text variant="aside">
          <CodeWords text={found.description} />
        </Text>
      )}
      <ul>
        {fieldsOf(found, schemas).map((field) => (
          <SchemaProperty key={field.name} field={field} schemas={schemas} />
        ))}
      </ul>
    </Card>
  );
}

interface SchemaPropertyProps {
  readonly field: Field;
  readonly schemas: Schemas;
}

/** One field. Once opened, also the fields inside it. */
function SchemaProperty({ field: { name, schema, isRequired }, schemas }: SchemaPropertyProps): ReactElement {
  const [opened, { toggle }] = useDisclosure(false);
  const inner = fieldsOf(schema, schemas);
  const { description = resolve(schema, schemas).schema.description } = schema;
  const words = [typeInWords(schema, schemas), ...limitsInWords(schema)].join(', ');
  return (
    <li className={classes['field']}>
      {inner.length > 0 ? (
        <UnstyledButton
          className={classes['toggle'] ?? ''}
          aria-expanded={opened}
          aria-label={`Fields of ${name}`}
          onClick={toggle}
        >
          <IconChevronRight size={14} aria-hidden data-opened={opened} />
          <code>{name}</code>
        </UnstyledButton>
      ) : (
        <code className={classes['leaf']}>{name}</code>
      )}{' '}
      <Text span variant="aside">
        {words}
      </Text>
      {isRequired && (
        <Text span variant="aside" c="var(--millrace-warn)" fw={600}>
          {' '}
          required
        </Text>
      )}
      {description && (
        <Text variant="aside" ms={13}>
          <CodeWords text={description} />
        </Text>
      )}
      {opened && (
        <ul className={classes['fields']}>
          {inner.map((field) => (
            <SchemaProperty key={field.name} field={field} schemas={schemas} />
          ))}
        </ul>
      )}
    </li>
  );
}
