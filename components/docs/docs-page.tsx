"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import dynamic from "next/dynamic";
import { parseAsString, useQueryStates } from "nuqs";
import { useCallback, useRef, useState } from "react";
import { Failure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import classes from "./docs.module.css";
import { type ApiDocument, readDocument } from "./openapi";
import { OperationDetail } from "./operation-detail";
import { OperationList } from "./operation-list";
import { Overview } from "./overview";

const TryIt = dynamic(() => import("./try/try-it").then((found) => found.TryIt));

async function load(): Promise<ApiDocument> {
  const answer = await fetch("/api/v1/openapi.json");
  if (!answer.ok) throw new Error(String(answer.status));
  return readDocument(await answer.json());
}

/** The API reference, rendered from the OpenAPI document that the server derives from its schemas. */
export function DocsPage() {
  const document = useQuery({ queryKey: ["openapi"], queryFn: load, staleTime: Number.POSITIVE_INFINITY });
  const [view, setView] = useQueryStates(
    { op: parseAsString.withOptions({ history: "push" }), search: parseAsString },
    { scroll: false },
  );
  // Kept in memory only, never in the URL, storage or a log.
  const [credential, setCredential] = useState("");
  const detail = useRef<HTMLDivElement>(null);
  const onSearch = useCallback((search: string) => setView({ search: search || null }), [setView]);
  const choose = (op: string | null) => {
    void setView({ op });
    window.scrollTo({ top: 0 });
    requestAnimationFrame(() => detail.current?.focus({ preventScroll: true }));
  };
  const operation = document.data?.operations.find((o) => o.operationId === view.op);
  return (
    <>
      <PageHeader
        title="API reference"
        lead={
          <>
            Every REST operation of this installation.{" "}
            <a className="tm-link" style={{ textDecoration: "underline" }} href="/api/v1/openapi.json">
              OpenAPI 3.1 document
            </a>
          </>
        }
      />
      {document.isPending && (
        <div className={classes.loading} role="status" aria-label="Loading the API description">
          <Skeleton height={320} radius={8} />
        </div>
      )}
      {document.isError && (
        <Failure error={document.error} onRetry={() => void document.refetch()} what="the API description" />
      )}
      {document.data && (
        <div className={classes.page} data-chosen={Boolean(operation) || undefined}>
          <OperationList
            operations={document.data.operations}
            search={view.search ?? ""}
            onSearch={onSearch}
            chosen={operation?.operationId ?? null}
            onChoose={choose}
          />
          <div className={classes.detail} ref={detail} tabIndex={-1}>
            {operation ? (
              <>
                <button type="button" className={classes.back} onClick={() => choose(null)}>
                  <ArrowLeft size={15} aria-hidden />
                  All operations
                </button>
                <OperationDetail
                  key={operation.operationId}
                  operation={operation}
                  document={document.data}
                  tryIt={<TryIt operation={operation} credential={credential} onCredential={setCredential} />}
                />
              </>
            ) : (
              <Overview document={document.data} />
            )}
          </div>
        </div>
      )}
    </>
  );
}
