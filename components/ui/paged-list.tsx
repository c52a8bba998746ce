"use client";

import { Button, Group, type GroupProps, Pagination } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import type { ComponentProps, ReactNode } from "react";
import { count } from "@/components/format/amounts";
import { LoadingRows } from "./loading-rows";
import { Notice, problemOf, QueryFailure } from "./notice";
import classes from "./paged-list.module.css";
import { RecordTable } from "./record-table";

/** Page of the list in the address. */
export const usePage = () => useQueryState("page", parseAsInteger.withDefault(1).withOptions({ history: "push" }));

export type Paged<T> = { data: T[]; pagination: { page: number; totalPages: number; total: number } };

/** A list without paging, as its only page. */
export const onePage = <T,>({ data, total = data.length }: { data: T[]; total?: number }): Paged<T> => ({
  data,
  pagination: { page: 1, totalPages: 1, total },
});

type Props<T> = {
  query: UseQueryResult<Paged<T>, unknown>;
  /** The noun for messages: "the users". */
  what: string;
  empty: ReactNode;
  /** Omitted for a list without paging. */
  onPage?: ((page: number) => void) | undefined;
  children: (rows: T[], isStale: boolean) => ReactNode;
};

/** Errors that hide previously read rows: the user may no longer see the list. */
const HIDING = new Set(["forbidden", "not_found"]);
/** The states of a list: loading, error, empty, rows, pagination. */
export function PagedList<T>({ query, what, empty, onPage, children }: Props<T>) {
  if (query.isPending) return <LoadingRows what={what} />;
  const failure = query.isError && <QueryFailure query={query} what={what} />;
  // If a periodic refetch fails, the list stays.
  if (!query.data || HIDING.has(problemOf(query.error)?.code ?? "")) return failure;
  const { data, pagination } = query.data;
  if (data.length === 0)
    return (
      <>
        {failure}
        {pagination.page > 1 ? <PastTheEnd onFirst={() => onPage?.(1)} /> : empty}
      </>
    );
  return (
    <>
      {failure}
      {children(data, query.isPlaceholderData)}
      {pagination.totalPages > 1 && (
        <Pages
          text={`${count(pagination.total)} in total`}
          total={pagination.totalPages}
          value={pagination.page}
          onPage={(page) => onPage?.(page)}
        />
      )}
    </>
  );
}

type RecordListProps<T> = Omit<Props<T>, "children"> &
  Pick<ComponentProps<typeof RecordTable<T>>, "caption" | "columns">;

/** A list whose rows are records, as a table. */
export const RecordList = <T extends { id: string }>({ caption, columns, ...list }: RecordListProps<T>) => (
  <PagedList {...list}>
    {(rows, isStale) => <RecordTable {...{ caption, columns, rows, isStale }} rowKey={({ id }) => id} />}
  </PagedList>
);

type PagesProps = { text: string; total: number; value: number; onPage: (page: number) => void };

/** The way to the other pages of a list. text: how long it is. */
export const Pages = ({ text, onPage, ...pages }: PagesProps) => (
  <Group
    component="nav"
    justify="space-between"
    px="edge"
    pt="lg"
    pb={32}
    fz="sm"
    c="dimmed"
    aria-label="Pages of this list"
  >
    <span role="status">{text}</span>
    <Pagination size="sm" {...pages} onChange={onPage} />
  </Group>
);

/** Search and filters above a list. */
export const ListTools = (props: GroupProps) => (
  <Group className={classes.tools} align="stretch" gap="sm" px="edge" pb="lg" {...props} />
);

/** A page beyond the last one, from an outdated link. */
function PastTheEnd({ onFirst }: { onFirst: () => void }) {
  return (
    <Notice
      title="There is nothing on this page"
      action={
        <Button variant="default" onClick={onFirst}>
          Go to the first page
        </Button>
      }
    />
  );
}
