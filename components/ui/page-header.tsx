import { Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./page-header.module.css";

type SectionProps = { title: string; lead?: ReactNode; action?: ReactNode; flush?: boolean; children: ReactNode };

/** A section of a page with its own heading. `flush` removes the padding, for tables. */
export function Section({ title, lead, action, flush, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.head}>
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
      </div>
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  );
}

type Props = { title: string; lead?: ReactNode; children?: ReactNode };

/** A page's heading, one sentence on its purpose, and its primary action. */
export function PageHeader({ title, lead, children }: Props) {
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <Title order={1}>{title}</Title>
        {lead && (
          <Text c="dimmed" maw={640}>
            {lead}
          </Text>
        )}
      </div>
      {children}
    </header>
  );
}
