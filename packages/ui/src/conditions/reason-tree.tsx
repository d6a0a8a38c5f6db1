import { Box, Group, Stack, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { Condition, Reason } from '../../../server/src/admin/contract.ts';
import { OutcomeMark } from '../components/outcome-mark.tsx';
import { ThingLink } from '../components/thing-link.tsx';
import { Time } from '../components/time.tsx';
import { count } from '../format/number.ts';
import { sentenceOf, valueInWords } from './pieces.ts';
import { place } from './place.ts';
import { SentencePieces } from './sentence-pieces.tsx';

interface ReasonTreeProps {
  readonly condition: Condition;
  /** Has the same shape as the condition. */
  readonly reason: Reason;
}

/** A definition as a sentence; each condition shows whether it holds, and what decides that. */
export function ReasonTree({ condition, reason }: ReasonTreeProps): ReactElement {
  if (isGroup(condition)) {
    const whys = isGroup(reason) ? partsIn(reason) : [];
    const words = 'not' in condition ? 'not' : 'all' in condition ? 'All of these' : 'Any of these';
    return (
      <Judged holds={reason.value} words={words}>
        <Stack component="ul" gap={10} mt="xs">
          {partsIn<Condition>(condition).map((part, i) => (
            <li key={place(i)}>{whys[i] && <ReasonTree condition={part} reason={whys[i]} />}</li>
          ))}
        </Stack>
      </Judged>
    );
  }
  return (
    <Judged holds={reason.value} words={<SentencePieces pieces={sentenceOf(condition)} />}>
      <Text component="div" variant="aside">
        <Found reason={reason} />
      </Text>
    </Judged>
  );
}

type GroupOf<Part> = { readonly all: readonly Part[] } | { readonly any: readonly Part[] } | { readonly not: Part };

function isGroup<Whole extends object>(whole: Whole): whole is Extract<Whole, GroupOf<unknown>> {
  return 'all' in whole || 'any' in whole || 'not' in whole;
}

function partsIn<Part>(group: GroupOf<Part>): readonly Part[] {
  if ('not' in group) return [group.not];
  return 'all' in group ? group.all : group.any;
}

interface JudgedProps {
  readonly holds: boolean;
  readonly words: ReactNode;
  readonly children: ReactNode;
}

function Judged({ holds, words, children }: JudgedProps): ReactElement {
  return (
    <Group gap={8} align="flex-start" wrap="nowrap">
      <OutcomeMark good={holds} label={holds ? 'holds' : 'does not hold'} />
      <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text component="div">{words}</Text>
        {children}
      </Box>
    </Group>
  );
}

/** The person's data that decides a condition. */
function Found({ reason }: { readonly reason: Reason }): ReactElement {
  return (
    <>
      <Grounds reason={reason} />
      {reason.changesAt !== null && (
        <>
          {' '}
          · may change <Time at={reason.changesAt} />
        </>
      )}
    </>
  );
}

function Grounds({ reason }: { readonly reason: Reason }): ReactElement | string | null {
  if ('trait' in reason) {
    if (!reason.found) return 'There is no value.';
    return (
      <>
        It is <strong>{valueInWords(reason.found.value)}</strong>, said <Time at={reason.found.at} />
      </>
    );
  }
  if ('groupTrait' in reason) {
    if (reason.found.length === 0) return 'None of the person’s groups has it.';
    return (
      <>
        {reason.found.map(({ groupId, value }, i) => (
          <span key={groupId}>
            {i > 0 && ', '}
            <strong>{valueInWords(value)}</strong> in group {groupId}
          </span>
        ))}
      </>
    );
  }
  if ('events' in reason) {
    if (reason.events === 0) return 'No event counts.';
    return (
      <>
        {count(reason.events)} {reason.events === 1 ? 'event counts' : 'events count'}:{' '}
        {reason.newest.map(({ messageId, at }, i) => (
          <span key={place(i)}>
            {i > 0 && ', '}
            <ThingLink kind="message" id={messageId} name={<Time at={at} minutes />} size="xs" td="underline" />
          </span>
        ))}
        {reason.events > reason.newest.length && ' and earlier ones'}
      </>
    );
  }
  return null;
}
