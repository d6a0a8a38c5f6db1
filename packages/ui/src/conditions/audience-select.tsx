import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useContext } from 'react';
import { audiencesApi } from '../api/audiences.ts';
import { FieldsContext } from './fields-context.ts';
import { WordSelect } from './word-select.tsx';

interface AudienceSelectProps {
  readonly id: string;
  readonly path: string;
  readonly onChange: (id: string) => void;
}

/** One of the audiences, but for the one that is edited. */
export function AudienceSelect({ id, path, onChange }: AudienceSelectProps): ReactElement {
  const { edited } = useContext(FieldsContext);
  const { data = [] } = useQuery(audiencesApi.names());
  const others = data.filter((audience) => audience.id !== edited || audience.id === id);
  const choices = {
    ...(others.some((audience) => audience.id === id) ? {} : { [id]: id === '' ? 'choose one' : id }),
    ...Object.fromEntries(others.map((audience) => [audience.id, audience.name])),
  };
  return <WordSelect label="Audience" value={id} choices={choices} path={path} onChange={onChange} />;
}
