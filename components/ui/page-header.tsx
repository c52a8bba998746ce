import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./page-header.module.css";

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
