"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useRef } from "react";
import { ImportHome } from "./import-home";
import { Wizard } from "./wizard";

/** The wizard of the import in the URL, otherwise the list of imports. */
export function ImportPage() {
  const [id] = useQueryState("import", parseAsString);
  const hasMounted = useRef(false);
  useEffect(() => {
    hasMounted.current = true;
  }, []);
  return id ? <Wizard key={id} id={id} takesFocus={hasMounted.current} /> : <ImportHome />;
}
