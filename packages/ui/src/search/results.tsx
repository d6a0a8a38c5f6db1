import type { ReactElement } from 'react';
import { Time } from '../components/time.tsx';
import { shortened } from '../format/shortened.ts';
import type { Found } from './found.ts';
import classes from './search.module.css';

interface ResultsProps {
  readonly id: string;
  readonly found: readonly Found[];
  /** The place of the one that Enter opens. */
  readonly chosen: number;
  readonly optionId: (place: number) => string;
  readonly text: string;
  readonly onOpen: (one: Found) => void;
}

/** What was found, by groups, as the options of the field above. */
export function Results({ id, found, chosen, optionId, text, onOpen }: ResultsProps): ReactElement {
  const groups = Map.groupBy(found.entries(), ([, { group }]) => group);
  return (
    <div id={id} role="listbox" aria-label="Results" className={classes['results']}>
      {Array.from(groups, ([group, options]) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list of options.
        <div key={group} role="group" aria-label={group}>
          <div className={classes['group']} aria-hidden>
            {group}
          </div>
          {options.map(([place, one]) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys.
            <div
              key={one.key}
              id={optionId(place)}
              role="option"
              aria-selected={place === chosen}
              className={classes['option']}
              onClick={() => onOpen(one)}
            >
              <span className={classes['label']}>{shortened(one.label)}</span>
              {one.at !== null && (
                <span className={classes['at']}>
                  <Time at={one.at} minutes />
                </span>
              )}
              {one.excerpt !== null && one.excerpt !== one.label && (
                <span className={classes['excerpt']}>
                  {one.why}: <Marked text={one.excerpt} mark={text} />
                </span>
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** A text with the part that was looked for marked, where it stands there in some case. */
function Marked({ text, mark }: { readonly text: string; readonly mark: string }): ReactElement {
  const at = text.toLowerCase().indexOf(mark.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + mark.length)}</mark>
      {text.slice(at + mark.length)}
    </>
  );
}
