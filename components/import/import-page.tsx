"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useRef } from "react";
import { useCan } from "@/components/account/org";
import { Failure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { ImportHome } from "./import-home";
import { Wizard } from "./wizard";

const DENIED = {
  data: { problem: { code: "forbidden", detail: "You need the permission custom_fields:import.", requestId: "" } },
};

/** The wizard of one import where the address names one, else the list of imports. */
export function ImportPage() {
  const mayImport = useCan("custom_fields:import");
  const [id] = useQueryState("import", parseAsString);
  const hasMounted = useRef(false);
  useEffect(() => {
    hasMounted.current = true;
  }, []);
  if (!mayImport)
    return (
      <>
        <PageHeader title="Import custom fields" />
        <Failure error={DENIED} what="imports" />
      </>
    );
  return id ? <Wizard key={id} id={id} takesFocus={hasMounted.current} /> : <ImportHome />;
}
