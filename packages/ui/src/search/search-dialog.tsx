import { Button, Group, Loader, Mark, Modal, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactElement, useEffect, useState } from 'react';
import type { SearchHit } from '../../../server/src/admin/contract.ts';
import { searchApi } from '../api/search.ts';
import { useReadOn } from '../components/read-on.ts';
import { Time } from '../components/time.tsx';
import { localMinute } from '../format/moment.ts';
import { many } from '../format/number.ts';
import { shortened } from '../format/shortened.ts';
import { useMayLook, useMayOpen } from '../shell/session.ts';
import { type Found, foundPages, foundThings } from './found.ts';
import classes from './search.module.css';

/** Milliseconds without typing before a text is searched. */
const REST_MS = 150;
/** Most characters of a searched text, as in the API. */
const LONGEST = 200;
const LIST = 'search-results';
const NONE: ReadonlyMap<string, number> = new Map();

/** One search field for everything. Results stand below it in groups; the arrow keys choose one, Enter opens it. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [typed, setTyped] = useState('');
  const isTooLong = typed.trim().length > LONGEST;
  const wanted = isTooLong ? '' : typed.trim();
  const [rested] = useDebouncedValue(wanted, REST_MS);
  const text = wanted === '' ? '' : rested;
  const search = useSearch(text);
  const mayLook = useMayLook();
  const mayOpen = useMayOpen();
  const navigate = useNavigate();
  /** The results in the order that they had when the pointer moved last: they do not move away under it. */
  const [held, hold] = useState<ReadonlyMap<string, number>>(NONE);
  const inOrder = text === '' ? [] : [...foundPages(text, mayOpen), ...foundThings(search.hits)];
  const rank = ({ key }: Found): number => held.get(key) ?? held.size;
  const found = inOrder.toSorted((a, b) => rank(a) - rank(b));
  const [chosen, choose] = useState<string | null>(null);
  /** The text for which Enter was pressed before its search began. */
  const [asked, setAsked] = useState<string | null>(null);
  const place = Math.max(
    0,
    found.findIndex(({ key }) => key === chosen),
  );
  const current = found[place];
  useEffect(() => {
    if (chosen !== null) document.getElementById(optionId(place))?.scrollIntoView({ block: 'nearest' });
  }, [chosen, place]);

  const open = (one: Found): void => {
    onClose();
    void navigate(one.link);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (steps !== undefined && found.length > 0) {
      event.preventDefault();
      choose(found[(place + steps + found.length) % found.length]?.key ?? null);
    }
    if (event.key !== 'Enter') return;
    if (current && wanted === text) open(current);
    else setAsked(wanted);
  };
  // If Enter was pressed before there were results, the first result is opened.
  const isAsked = asked !== null && asked === text && current !== undefined;
  useEffect(() => {
    if (!isAsked) return;
    onClose();
    void navigate(current.link);
  }, [isAsked, current, onClose, navigate]);

  return (
    <Modal.Root opened onClose={onClose} size="lg" padding={0} yOffset="8vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <TextInput
          classNames={{ input: classes['input'] ?? '', error: classes['refused'] ?? '' }}
          data-autofocus
          size="md"
          variant="unstyled"
          leftSection={<IconSearch size={18} aria-hidden />}
          aria-label="Search everything"
          placeholder={
            mayLook ? 'An order number, an e-mail address, an event, a name…' : 'A destination, a source, a page…'
          }
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls={LIST}
          aria-autocomplete="list"
          aria-activedescendant={current ? optionId(place) : undefined}
          error={isTooLong && `A search takes at most ${LONGEST} characters: shorten the text.`}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAsked(null);
            choose(null);
            hold(NONE);
          }}
          onKeyDown={onKeyDown}
        />
        <Results
          id={LIST}
          found={found}
          chosen={place}
          optionId={optionId}
          text={text}
          onOpen={open}
          onPoint={(isOver) =>
            hold((before) => {
              if (!isOver) return NONE;
              return before.size === found.length ? before : new Map(found.map(({ key }, i) => [key, i]));
            })
          }
        />
        {text !== '' && <SearchProgress search={search} found={found.length} />}
      </Modal.Content>
    </Modal.Root>
  );
}

function optionId(place: number): string {
  return `search-result-${place}`;
}

const SEARCHED =
  'Pages, destinations, sources, audiences, computed traits, settings, people, refused calls and messages are searched; accounts, tokens, incidents, deletions and the audit log are not. ';

const ABOVE = { borderTop: '1px solid var(--millrace-border)' };

/** The progress of the search and its end. Screen readers announce only the end. */
function SearchProgress({
  search: { state, events, back, areWordsDone, error, goOn },
  found,
}: {
  readonly search: Search;
  readonly found: number;
}): ReactElement {
  const mayLook = useMayLook();
  const isOver = state === 'over' && error === null;
  const looked = `Looked through ${many(events, 'event')}`;
  const time = isOver || back === null ? null : localMinute(new Date(back));
  const since = areWordsDone ? ` for the word, and back to ${time} for longer words` : `, back to ${time}`;
  const reached = time === null ? '' : since;
  const end = isOver ? ' – all there are.' : '';
  const nothing = isOver && found === 0 ? `Nothing has this text. ${mayLook ? SEARCHED : ''}` : '';
  return (
    <Group gap={8} mih={40} px="md" py={6} c="dimmed" fz="xs" style={ABOVE}>
      {state === 'reading' && <Loader size={14} aria-hidden />}
      {error === null ? (
        <span>{mayLook ? `${nothing}${looked}${reached}${end}` : nothing}</span>
      ) : (
        <span role="alert">The search stopped: {error.message}</span>
      )}
      {(state === 'waiting' || error !== null) && (
        <Button size="compact-xs" variant="default" ml="auto" onClick={goOn}>
          {error === null ? 'Look further back' : 'Try again'}
        </Button>
      )}
      <VisuallyHidden role="status">{state === 'reading' ? '' : `${found} found${end || '.'}`}</VisuallyHidden>
    </Group>
  );
}

/** A search reads on until it has this many more results. */
const ENOUGH = 100;
/** Number of events in which the text was no word of its own yet: then it is looked for in longer words too. */
const LONG = 100_000;

interface Looking extends ReturnType<typeof useReadOn> {
  readonly hits: readonly SearchHit[];
  readonly error: Error | null;
  /** Number of messages that were searched, and the time of the oldest. */
  readonly events: number;
  readonly back: string | null;
}

/** Searches for a text in older and older messages while the dialog is open. */
function useLook(q: string, match: 'word' | 'part', enabled: boolean, enough: number): Looking {
  const list = useInfiniteQuery({ ...searchApi.find(q, match), enabled });
  const pages = list.data?.pages ?? [];
  return {
    ...useReadOn(list, q, enough),
    hits: pages.flatMap(({ items }) => items),
    error: list.error,
    events: pages.reduce((sum, { searchedEvents }) => sum + searchedEvents, 0),
    back: pages.findLast(({ searchedTo }) => searchedTo !== null)?.searchedTo ?? null,
  };
}

interface Search extends Looking {
  /** Whether all events were searched for the word. `back` is that of longer words then. */
  readonly areWordsDone: boolean;
}

/** Looks for the text as a word of its own, and then in longer words: an order number stands in many of these. */
function useSearch(q: string): Search {
  const words = useLook(q, 'word', q !== '', ENOUGH);
  const areWordsDone = words.state === 'over' && words.error === null;
  const isEarly = !areWordsDone && words.events < LONG;
  // It finds the words once more.
  const parts = useLook(q, 'part', q !== '' && !isEarly, ENOUGH + words.hits.length);
  const both = [words, parts];
  return {
    areWordsDone,
    state: (['reading', 'waiting'] as const).find((one) => both.some(({ state }) => state === one)) ?? 'over',
    hits: both.flatMap(({ hits }) => hits),
    error: words.error ?? parts.error,
    events: words.events,
    back: (areWordsDone ? parts : words).back,
    goOn() {
      for (const look of both) if (look.state === 'waiting' || look.error) look.goOn();
    },
  };
}

interface ResultsProps {
  readonly id: string;
  readonly found: readonly Found[];
  /** Index of the result that Enter opens. */
  readonly chosen: number;
  readonly optionId: (place: number) => string;
  readonly text: string;
  readonly onOpen: (one: Found) => void;
  /** Called when the pointer moves over the results, and when it leaves them. */
  readonly onPoint: (isOver: boolean) => void;
}

const EXCERPT = { gridColumn: '1 / -1', overflowWrap: 'anywhere' } as const;

/** The results in groups, as the options of the search field. */
function Results({ id, found, chosen, optionId, text, onOpen, onPoint }: ResultsProps): ReactElement {
  const groups = Map.groupBy(found.entries(), ([, { group }]) => group);
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Results"
      className={classes['results']}
      onPointerMove={() => onPoint(true)}
      onPointerLeave={() => onPoint(false)}
    >
      {Array.from(groups, ([group, options]) => (
        // biome-ignore lint/a11y/useSemanticElements: a list of options can't contain a fieldset.
        <div key={group} role="group" aria-label={group}>
          <Text variant="aside" fw={600} p="12px 8px 4px" aria-hidden>
            {group}
          </Text>
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
              <Text span fw={500} truncate>
                {shortened(one.label)}
              </Text>
              {one.at !== null && (
                <Text span variant="aside">
                  <Time at={one.at} minutes />
                </Text>
              )}
              {one.excerpt !== null && one.excerpt !== one.label && (
                <Text span variant="aside" style={EXCERPT}>
                  {one.why}: <Marked text={one.excerpt} mark={text} />
                </Text>
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** A text in which the searched part is marked, in upper or lower case. */
function Marked({ text, mark }: { readonly text: string; readonly mark: string }): ReactElement {
  const at = text.toLowerCase().indexOf(mark.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <Mark>{text.slice(at, at + mark.length)}</Mark>
      {text.slice(at + mark.length)}
    </>
  );
}
