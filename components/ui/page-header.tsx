import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./page-header.module.css";

type SectionProps = { title: string; lead?: ReactNode; action?: ReactNode; flush?: boolean; children: ReactNode };

/** A section of a page with its own heading. `flush` removes the padding, for tables. */
export function Section({ title, lead, action, flush, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <Group justify="space-between" align="flex-end" gap="8px 24px" px="edge" pt={24} pb={12}>
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {lead && (
            <Text size="sm" c="dimmed" maw={640}>
              {lead}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {flush ? children : <div className={classes.body}>{children}</div>}
    </section>
  );
}

type Props = { title: string; lead?: ReactNode; children?: ReactNode };

/** A page's heading, one sentence on its purpose, and its primary action. */
export function PageHeader({ title, lead, children }: Props) {
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="12px 24px" px="edge" py={20}>
      <Stack gap={2} miw={0}>
        <Title order={1}>{title}</Title>
        {lead && (
          <Text c="dimmed" maw={640}>
            {lead}
          </Text>
        )}
      </Stack>
      {children}
    </Group>
  );
}
