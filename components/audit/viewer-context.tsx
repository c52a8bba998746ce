"use client";

import { createContext, type ReactNode, useContext } from "react";
import { type AuditLog, useAuditLog } from "./use-audit-log";

const Context = createContext<AuditLog | null>(null);

/** Everything that the viewer's components share: the URL's state, the list, and the actions on it. */
export function useViewer(): AuditLog {
  const viewer = useContext(Context);
  if (!viewer) throw new Error("useViewer belongs under ViewerProvider");
  return viewer;
}

export const ViewerProvider = ({ loadedAt, children }: { loadedAt: string; children: ReactNode }) => (
  <Context value={useAuditLog(loadedAt)}>{children}</Context>
);
