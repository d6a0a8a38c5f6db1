import { Alert, Anchor, Card, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CodeWords } from '../../components/code-words.tsx';
import { Section } from '../../components/section.tsx';
import { many } from '../../format/number.ts';
import type { OpenApiDocument, Tag } from './openapi.ts';

interface IntroductionProps {
  readonly document: OpenApiDocument;
  readonly tags: readonly Tag[];
  /** Id of an operation that the address asks for and that is not there. */
  readonly unknown: string | undefined;
}

/** What the APIs are, how one says who one is, and what there is. */
export function Introduction({ document: { info, components }, tags, unknown }: IntroductionProps): ReactElement {
  return (
    <Stack gap="lg">
      {unknown !== undefined && (
        <Alert color="yellow" title={`There is no operation “${unknown}”`}>
          The link may be of another version. This is {info.version}.
        </Alert>
      )}
      {info.description && (
        <Text maw={760}>
          <CodeWords text={info.description} />
        </Text>
      )}
      <Section id="who" title="Who calls">
        <Card>
          <Stack gap="sm">
            {Object.entries(components?.securitySchemes ?? {}).map(([name, { description }]) => (
              <div key={name}>
                <Text fw={600}>{name}</Text>
                <Text c="dimmed">{description}</Text>
              </div>
            ))}
            <CodeBlock
              label="call of the admin API"
              code={`curl ${window.location.origin}/api/sources \\\n  -H "Authorization: Bearer $MILLRACE_ADMIN_TOKEN"`}
            />
            <Text>
              <Anchor href="/api/openapi.json" download="openapi.json" inherit>
                Download the OpenAPI document
              </Anchor>
            </Text>
          </Stack>
        </Card>
      </Section>
      <Section id="what" title="What there is">
        <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="sm">
          {tags.map(({ name, description, operations }) => (
            <Card key={name}>
              <AnchorLink to="/api-docs" search={{ operation: operations[0]?.id ?? '' }} fw={600}>
                {name}
              </AnchorLink>
              <Text c="dimmed">{description}</Text>
              <Text variant="aside" mt={4}>
                {many(operations.length, 'operation')}
              </Text>
            </Card>
          ))}
        </SimpleGrid>
      </Section>
    </Stack>
  );
}
