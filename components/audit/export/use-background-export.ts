"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Input } from "@/components/audit/state/view";
import { useTRPC } from "@/components/trpc";
import { errorText } from "@/components/ui/notice";
import type { ExportFormat } from "@/server/audit/vocabulary";
import { exportBody } from "./export-request";

type ExportInput = { input: Input; format: ExportFormat; gzip: boolean; timeZone: string };

/** Starts a background export with the list's filters. */
export function useBackgroundExport() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const create = useMutation(
    trpc.exports.create.mutationOptions({
      onSettled: () => cache.invalidateQueries({ queryKey: trpc.exports.list.queryKey() }),
    }),
  );
  const start = ({ input, format, gzip, timeZone }: ExportInput) => {
    create.mutate(JSON.parse(JSON.stringify({ ...exportBody(format, input), gzip, timeZone })));
  };
  return { start, isAsking: create.isPending, error: create.error && errorText(create.error) };
}
