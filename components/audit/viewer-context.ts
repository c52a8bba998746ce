"use client";

import { createContext, useContext } from "react";
import type { AuditLog } from "./use-audit-log";

/** Of the log its type alone: what is loaded later needs the context, and would divide the first page's scripts. */
export const ViewerContext = createContext<AuditLog | null>(null);

/** Everything that the viewer's components share: the URL's state, the list, and the actions on it. */
export function useViewer(): AuditLog {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error("useViewer belongs under ViewerContext");
  return viewer;
}
