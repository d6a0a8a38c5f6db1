import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { CodeWords } from '../../components/code-words.tsx';
import classes from './schema-view.module.css';
import { type Field, fieldsOf, limitsInWords, resolve, type Schemas, typeInWords } from './schemas.ts';

interface SchemaPropertyProps {
  readonly field: Field;
  readonly schemas: Schemas;
}

/** One field, with those inside it once it was opened. */
export function SchemaProperty({ field: { name, schema, isRequired }, schemas }: SchemaPropertyProps): ReactElement {
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
      <span className={classes['type']}>{words}</span>
      {isRequired && <span className={classes['required']}> required</span>}
      {description && (
        <div className={classes['description']}>
          <CodeWords text={description} />
        </div>
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
